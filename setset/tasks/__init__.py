"""What is one piece of work? Tasks, which cross between processes, and how a worker executes them. No database."""
