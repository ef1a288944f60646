"""What can I ask? The objects behind `setset.open`: workspace, exploration, size, batch."""
