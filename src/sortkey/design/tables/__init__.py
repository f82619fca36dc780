"""Tables: names, keys, indexes, settings, and what a design expects of its data."""
