"""A design: tables, entities and their keys, written once as Python."""
