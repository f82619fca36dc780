"""The names Amazon gives to resources: this engine has one region and one account."""

REGION = "us-east-1"
ACCOUNT = "000000000000"


def table_arn(name: str) -> str:
    """The ARN of the table by this name."""
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}"
