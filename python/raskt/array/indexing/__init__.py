"""What stands between square brackets."""
