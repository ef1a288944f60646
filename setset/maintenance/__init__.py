"""Is it sound, and if not? Checking, repairing, compacting, cleaning up, rebuilding a database, recounting."""
