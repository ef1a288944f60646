"""Batch files (what is in a file?): format, writing, reading, verifying, and the storage roots. No database."""
