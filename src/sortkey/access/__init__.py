"""Carrying operations out: on the embedded engine, at any DynamoDB endpoint, on AWS."""
