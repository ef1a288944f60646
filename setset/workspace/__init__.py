"""Objects behind `setset.open` (what can I ask?): workspace, exploration, size, batch."""
