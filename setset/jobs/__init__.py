"""A run (what is done next?): its options, its coordinator, and the signals that stop it."""
