"""Storms: the crowds of the systems on a server on which everything goes wrong."""
