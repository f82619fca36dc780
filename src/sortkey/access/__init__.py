"""Running operations: on the embedded engine, at any DynamoDB endpoint, or on AWS."""
