"""The page: what `setset serve` shows in a browser. Only that command imports it; it needs the extra `setset[web]`."""
