"""What makes the reference: one module for each page that comes from the code."""
