"""Elements and positions by a condition."""
