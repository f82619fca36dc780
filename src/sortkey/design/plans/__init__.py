"""Plans: what a pattern sends, and where each value in it comes from."""
