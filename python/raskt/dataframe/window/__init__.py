"""Windows over rows and over spans of time."""
