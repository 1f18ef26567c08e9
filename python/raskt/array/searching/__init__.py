"""Elements by what they are: positions, the largest, members, different ones."""
