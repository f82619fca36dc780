"""Generators of the reference: one module for each page that is generated from the code."""
