"""`.str`, `.dt` and `.cat`."""
