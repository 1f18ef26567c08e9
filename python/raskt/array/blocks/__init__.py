"""Python functions over blocks, and blocks as delayed objects."""
