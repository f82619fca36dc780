"""Ways to carry a request to a DynamoDB and its answer back."""
