"""`python -m setset` is the command `setset`."""

import sys


def main() -> None:
    """The entry point: Ctrl-C during the imports too is one line and exit code 130."""
    try:
        from setset.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("setset: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":  # workers of mpi4py.futures import this module under another name
    main()
