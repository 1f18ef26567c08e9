"""Arrays in other shapes, joined, repeated and moved."""
