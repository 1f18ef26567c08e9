"""`Index`."""
