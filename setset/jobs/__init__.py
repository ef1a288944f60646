"""A run: its options, its coordinator, and the signals that stop it."""
