"""Exploration: run calls in every possible order of their requests."""
