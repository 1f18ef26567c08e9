"""Ufuncs, and functions of elements that are made of them."""
