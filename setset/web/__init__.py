"""The web pages of `setset serve` (a server) and `setset site` (static files). Needs the extra `setset[web]`."""
