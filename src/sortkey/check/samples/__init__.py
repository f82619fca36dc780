"""Sample items: items as they are stored, which a design is compared with."""
