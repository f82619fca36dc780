"""Keys, and what they seal: secret fields, encrypted before they leave the process."""
