"""Policies in Terraform: a document and a policy for each role."""

from collections.abc import Iterable, Iterator

from sortkey.synth.model import Place, Policy, RegionalKey, Resource, Statement
from sortkey.synth.naming import snake
from sortkey.synth.terraform.hcl import Expression, HclBlock, block, resource
from sortkey.synth.terraform.references import arn_of
from sortkey.synth.terraform.secrets import key_arn
from sortkey.synth.terraform.tables import reference


def policy_name(policy: Policy) -> str:
    """Return the name of a policy within the folder."""
    return snake(policy.id.removesuffix("Policy"))


def policy_blocks(policy: Policy) -> Iterator[HclBlock]:
    """Yield the document and the policy of a role."""
    name = policy_name(policy)
    yield document_block(name, policy.statements)
    yield resource(
        "aws_iam_policy",
        name,
        {
            "name": policy.name,
            "description": policy.description,
            "policy": Expression(f"data.aws_iam_policy_document.{name}.json"),
        },
    )
    if policy.principal is not None:
        arn = Expression(f"aws_iam_policy.{name}.arn")
        attached = {"role": policy.principal, "policy_arn": arn}
        yield resource("aws_iam_role_policy_attachment", name, attached)


def document_block(name: str, statements: Iterable[Statement]) -> HclBlock:
    """Return the document of a policy."""
    blocks = [_statement(statement) for statement in statements]
    return HclBlock("data", ("aws_iam_policy_document", name), {}, blocks)


def _statement(statement: Statement) -> HclBlock:
    conditions = [
        block("condition", {"test": operator, "variable": key, "values": list(values)})
        for operator, key, values in statement.conditions
    ]
    return block(
        "statement",
        {
            "sid": statement.sid,
            "actions": list(statement.actions),
            "resources": [_resource(resource) for resource in statement.resources],
        },
        *conditions,
        comment=statement.comment,
    )


def _resource(place: Place) -> Expression | str:
    match place:
        case str():
            return place
        case RegionalKey():
            return key_arn(place)
        case Resource():
            return _table_arn(place)
        case _:
            return arn_of(place)


def _table_arn(resource: Resource) -> Expression:
    arn = reference(resource.table, "arn").text
    suffix = resource.suffix
    if resource.region is not None:
        start = "arn:${data.aws_partition.current.partition}:dynamodb:"
        account = "${data.aws_caller_identity.current.account_id}"
        name = f"${{{reference(resource.table, 'name').text}}}"
        return Expression(f'"{start}{resource.region}:{account}:table/{name}{suffix}"')
    return Expression(f'"${{{arn}}}{suffix}"') if suffix else Expression(arn)
