"""Frames put together, and turned into other forms."""
