"""HTTP on this machine: servers, the gateway before functions, tokens and their verification."""
