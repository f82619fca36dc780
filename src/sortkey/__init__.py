"""Write your DynamoDB design once. sortkey checks it, proves it, runs it and ships it."""
