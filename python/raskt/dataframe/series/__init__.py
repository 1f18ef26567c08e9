"""`Series`, by families of methods."""
