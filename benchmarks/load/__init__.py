"""A crowd at the API of each system: what it gets done, and whether all is well after it."""
