"""Maintenance of a workspace: check, repair, compact, clean up, rebuild the database, move and remove files."""
