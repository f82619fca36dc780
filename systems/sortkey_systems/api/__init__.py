"""Shared code of the systems' HTTP APIs: routes, identity, and errors as problem details."""
