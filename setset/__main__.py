"""`python -m setset` is the command `setset`."""

from setset.cli import main

main()
