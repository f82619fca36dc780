"""The key of secret fields in Terraform, with its alias."""

from collections.abc import Iterator

from sortkey.synth.model import RegionalKey, Stack
from sortkey.synth.terraform.hcl import Expression, HclBlock, block, resource


def key_blocks(stack: Stack) -> Iterator[HclBlock]:
    """Yield the key and its alias, if the stack has one."""
    key = stack.secret_key
    if key is None:
        return
    yield resource(
        "aws_kms_key",
        "secrets",
        {
            "description": key.description,
            "enable_key_rotation": True,
            "multi_region": True if key.regions else None,
        },
        KEPT,
        comment=NOTE,
    )
    target = Expression("aws_kms_key.secrets.arn")
    yield resource("aws_kms_alias", "secrets", {"name": key.alias, "target_key_id": target}, KEPT)


KEPT = block("lifecycle", {"prevent_destroy": True})
NOTE = "Retained when the tables are deleted: without it no secret can be read."


def key_arn(place: RegionalKey) -> Expression:
    """Return the ARN of the key, or of its replica in a region, which has the same id."""
    if place.region is None:
        return Expression("aws_kms_key.secrets.arn")
    start = f"arn:${{data.aws_partition.current.partition}}:kms:{place.region}:"
    account = "${data.aws_caller_identity.current.account_id}"
    return Expression(f'"{start}{account}:key/${{aws_kms_key.secrets.key_id}}"')
