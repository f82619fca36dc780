"""Declarations of a design: entities, collections, claims, patterns, roles, invariants."""
