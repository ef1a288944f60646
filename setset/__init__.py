"""setset: every hand of SET cards that holds no set, enumerated, stored and classified."""

__version__ = "0.1.0"
