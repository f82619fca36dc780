"""A report as other programs read it."""
