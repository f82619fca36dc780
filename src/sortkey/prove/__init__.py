"""Proof by trial: each pattern run on the embedded engine, and held against what it means."""
