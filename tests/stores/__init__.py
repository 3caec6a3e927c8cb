"""The structures of each store, stressed against plain data."""
