"""The formats of items in files: one file for each."""
