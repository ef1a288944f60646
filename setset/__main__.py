"""`python -m setset` is the command `setset`."""

from setset.cli import main

if __name__ == "__main__":  # workers of mpi4py.futures import this module under another name
    main()
