"""Choosing rows and columns: `loc`, `iloc`."""
