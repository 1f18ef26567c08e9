"""Arrays from data, from shapes, from rules: what NumPy's manual calls array creation."""
