"""Words: the parts of names, misspellings, and lists in sentences."""
