"""The code of a design's functions: imported, and walked for the patterns that it can use."""
