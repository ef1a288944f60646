"""The batch file: format, writing, reading, verifying. Knows no database."""
