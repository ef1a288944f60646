"""The search: numba kernels on bitmasks of cards. Reads and writes no batch files."""
