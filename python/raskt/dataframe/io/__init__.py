"""Frames from files and memory, and back."""
