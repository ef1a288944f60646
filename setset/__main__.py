"""`python -m setset` is the command `setset`."""

import sys


def main() -> None:
    """The entry point of the program. Ctrl-C prints one line and gives exit code 130, even during the imports."""
    try:
        from setset.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("setset: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":  # False if a worker of mpi4py.futures imports this module, under another name
    main()
