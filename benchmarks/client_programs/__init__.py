"""A small program for each client of DynamoDB; all of them do the same four operations."""
