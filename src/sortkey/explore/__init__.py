"""Exploration: run calls in every order in which their requests can meet."""
