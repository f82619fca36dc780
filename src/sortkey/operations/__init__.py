"""Operations as values: what to ask of DynamoDB, and how to read its answer, without I/O."""
