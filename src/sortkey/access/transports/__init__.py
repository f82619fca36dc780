"""Transports: sending requests to DynamoDB and returning the responses."""
