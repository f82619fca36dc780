"""The names Amazon gives to resources: this engine has one region and one account."""

REGION = "us-east-1"
ACCOUNT = "000000000000"


def table_arn(name: str) -> str:
    """The ARN of the table by this name."""
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}"


def kms_key_arn(key: str) -> str:
    """The ARN of an encryption key, which may be given by its ARN, its alias or its number."""
    if key.startswith("arn:"):
        return key
    kind = "" if key.startswith("alias/") else "key/"
    return f"arn:aws:kms:{REGION}:{ACCOUNT}:{kind}{key}"
