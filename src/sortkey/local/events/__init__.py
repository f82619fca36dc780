"""Events as AWS sends them to functions, and what it makes of their answers."""
