"""Records: how an entity is stored: fields, keys, conditions, earlier shapes, secrets."""
