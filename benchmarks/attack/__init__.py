"""The server under attack: hostile clients, and polite ones that must not notice them."""
