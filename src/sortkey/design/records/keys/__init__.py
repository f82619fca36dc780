"""Keys: templates, how their text is written and read back, and what it can be compared by."""
