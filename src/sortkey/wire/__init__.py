"""DynamoDB's own vocabulary, without I/O: values, numbers, sizes, limits and errors."""
