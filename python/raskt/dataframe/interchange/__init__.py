"""pandas objects as Arrow batches, and back."""
