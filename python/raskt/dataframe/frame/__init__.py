"""`DataFrame`, by families of methods."""
