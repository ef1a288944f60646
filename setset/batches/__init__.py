"""What is in a file? The batch file: format, writing, reading, verifying, and the storage roots. No database."""
