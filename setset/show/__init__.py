"""Output for people: tables, progress, pictures."""
