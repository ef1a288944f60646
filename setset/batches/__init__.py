"""Batch files: format, writing, reading, verifying, and the storage roots. No database."""
