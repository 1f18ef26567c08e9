"""Arrays read from and written to objects that can be sliced."""
