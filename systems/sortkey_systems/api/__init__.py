"""What the HTTP APIs of the systems share: routes, identity, and refusals as problem details."""
