"""What frames and series have in common: operators, elementwise methods, reductions, partitions, display."""
