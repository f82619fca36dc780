"""ARNs of resources, in the engine's only region and account."""

REGION = "us-east-1"
ACCOUNT = "000000000000"
USER_ARN = f"arn:aws:iam::{ACCOUNT}:root"


def table_arn(name: str) -> str:
    """Return the ARN of the table with this name."""
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}"


def kms_key_arn(key: str) -> str:
    """Return the ARN of an encryption key from its ARN, its alias or its id."""
    if key.startswith("arn:"):
        return key
    kind = "" if key.startswith("alias/") else "key/"
    return f"arn:aws:kms:{REGION}:{ACCOUNT}:{kind}{key}"
