"""`python -m setset` is the command `setset`."""

import sys

try:
    from setset.cli import main
except KeyboardInterrupt:  # Ctrl-C during the imports
    sys.stderr.write("setset: interrupted\n")
    sys.exit(130)

if __name__ == "__main__":  # workers of mpi4py.futures import this module under another name
    main()
