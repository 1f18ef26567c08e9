"""How Python objects leave memory and come back such that nobody sees a difference."""
