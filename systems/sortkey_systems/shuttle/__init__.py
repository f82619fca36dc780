"""Inavor Shuttle: bulk product import for online shops, on one table."""
