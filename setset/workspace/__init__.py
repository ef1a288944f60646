"""Objects behind `setset.open`: workspace, exploration, size, batch."""
