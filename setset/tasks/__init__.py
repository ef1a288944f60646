"""Tasks, the units of work that are sent between processes, and their execution. They use no database."""
