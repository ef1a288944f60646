"""The job manager: every source batch, expansion, file and count in one SQLite database."""
