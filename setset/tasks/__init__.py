"""Tasks (what is one unit of work?), which cross between processes, and their execution. No database."""
