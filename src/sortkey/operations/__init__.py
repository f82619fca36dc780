"""Operations as values: requests to DynamoDB, and how to read the responses. No I/O."""
