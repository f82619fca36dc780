"""Resources in other regions in Terraform, each under a provider of its own."""

from collections.abc import Iterator

from sortkey.synth.model import RegionalPart, Stack
from sortkey.synth.naming import snake
from sortkey.synth.terraform.backups import vault_block
from sortkey.synth.terraform.hcl import Expression, HclBlock, resource
from sortkey.synth.terraform.secrets import KEPT, NOTE


def provider_blocks(stack: Stack) -> Iterator[HclBlock]:
    """Yield the provider of each other region."""
    for part in stack.regions:
        yield HclBlock("provider", ("aws",), {"alias": snake(part.region), "region": part.region})


def regional_blocks(stack: Stack) -> Iterator[HclBlock]:
    """Yield the resources of each other region."""
    for part in stack.regions:
        yield from _key(part)
        if part.vault is not None:
            name = f"backups_{snake(part.region)}"
            yield vault_block(name, {"provider": _provider(part), "name": part.vault.name})


def _key(part: RegionalPart) -> Iterator[HclBlock]:
    if part.key is None:
        return
    name, provider = f"secrets_{snake(part.region)}", _provider(part)
    yield resource(
        "aws_kms_replica_key",
        name,
        {
            "provider": provider,
            "description": part.key.description,
            "primary_key_arn": Expression("aws_kms_key.secrets.arn"),
        },
        KEPT,
        comment=NOTE,
    )
    target = Expression(f"aws_kms_replica_key.{name}.arn")
    alias = {"provider": provider, "name": part.key.alias, "target_key_id": target}
    yield resource("aws_kms_alias", name, alias, KEPT)


def _provider(part: RegionalPart) -> Expression:
    return Expression(f"aws.{snake(part.region)}")
