"""Batch files and storage roots: how a file is written, read and verified, and who may write to a folder. No
database."""
