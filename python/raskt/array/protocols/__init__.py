"""NumPy's protocols: what `np.sqrt(x)` and `np.mean(x)` do with these arrays."""
