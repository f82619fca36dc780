"""One small program for each client of DynamoDB, all doing the same four things in its own way."""
