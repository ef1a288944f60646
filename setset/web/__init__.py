"""Web pages of `setset serve` and `setset site`. Needs the extra `setset[web]`."""
