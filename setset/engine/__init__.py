"""The search, on arrays and integers only: masks of remaining cards and numba kernels. Knows no files."""
