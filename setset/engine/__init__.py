"""The search that makes larger lists of cards from smaller ones, by numba kernels on bitmasks. It opens no files."""
