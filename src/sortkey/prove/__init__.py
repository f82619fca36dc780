"""Proof by trial: run each pattern on the embedded engine and compare it with its specification."""
