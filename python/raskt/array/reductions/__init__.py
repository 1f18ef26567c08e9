"""Sums, extremes and their kin, along axes."""
