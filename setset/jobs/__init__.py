"""What is done, in which order? A run: what it is asked for, who coordinates it, who is told, what stops it."""
