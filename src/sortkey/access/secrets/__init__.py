"""Encryption keys, and secret fields, which are encrypted before they leave the process."""
