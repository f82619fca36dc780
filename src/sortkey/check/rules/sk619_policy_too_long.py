"""SK619 policy-too-long: the policies of a role are longer than IAM allows."""

from collections.abc import Iterator

from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.declaring.roles import LONGEST_POLICY, MOST_POLICIES
from sortkey.design.tables.table import TableDefinition

# Without the partition, region and account, which are not known here.
_ARN = len('"arn:aws:dynamodb:eu-west-1:123456789012:table/",')
_INDEX = len("/index/")
_STATEMENT = len('{"Sid":"","Effect":"Allow","Action":[],"Resource":[]},')
_DOCUMENT = len('{"Version":"2012-10-17","Statement":[]}')
_ACTION = len('"dynamodb:",')


@rule("SK619", "policy-too-long", ERROR)
def policy_too_long(model: Model) -> Iterator[Finding]:
    """The policies of a role are longer than IAM allows.

    `synth` grants a role the permissions that its patterns need, in managed policies of at most
    6,144 characters each. IAM attaches up to ten of them to a role. The finding states the minimum
    length, computed from the tables, indexes and operations that the patterns use; conditions on
    partitions and attributes make it longer.

    Flagged:
        LONG = "a-name-of-some-length-" * 11

        def table(number: int) -> type[Table]:
            indexes = {"by_owner": gsi("owner", "at", name=LONG)}
            return type(f"Wide{number}", (Table,), indexes, name=f"{LONG}{number}")

        def read(number: int) -> RawPattern:
            return raw_pattern(
                "Read",
                name=f"read_{number}",
                table=table(number),
                operation="Query",
                index=LONG,
                key_condition="#owner = :owner",
                names={"#owner": "owner"},
                values={":owner": "{owner}"},
                arguments={"owner": str},
                rate="1/s",
            )

        reader = Role("reader", [read(number) for number in range(120)])

    Instead:
        LONG = "a-name-of-some-length-" * 11

        def table(number: int) -> type[Table]:
            indexes = {"by_owner": gsi("owner", "at", name=LONG)}
            return type(f"Wide{number}", (Table,), indexes, name=f"{LONG}{number}")

        def read(number: int) -> RawPattern:
            return raw_pattern(
                "Read",
                name=f"read_{number}",
                table=table(number),
                operation="Query",
                index=LONG,
                key_condition="#owner = :owner",
                names={"#owner": "owner"},
                values={":owner": "{owner}"},
                arguments={"owner": str},
                rate="1/s",
            )

        reads = [read(number) for number in range(120)]
        first = Role("first-reader", reads[:60])
        other = Role("other-reader", reads[60:])
    """
    environments = model.design.about.environments
    for role in model.design.roles:
        allowed = {id(pattern) for pattern in role.patterns}
        requests = [request for request in model.requests if id(request.pattern) in allowed]
        length = max(
            (least_length(requests, environment) for environment in environments), default=0
        )
        if length > LONGEST_POLICY * MOST_POLICIES:
            yield Finding(
                role,
                f"its policies have at least {length:,} characters, but IAM allows "
                f"{MOST_POLICIES} of {LONGEST_POLICY:,}",
                "Split it into two roles, or shorten the names of its tables",
            )


def least_length(requests: list[PlannedRequest], environment: str) -> int:
    """Return the minimum length of a policy that allows these requests."""
    tables: dict[TableDefinition, tuple[set[str], set[str]]] = {}
    for request in requests:
        actions, places = tables.setdefault(request.table, (set(), set()))
        batch = "BatchGetItem" if request.reads else "BatchWriteItem"
        actions.add(batch if request.shape == "batch" else request.verb)
        places.add(request.step.index or "")
    length = _DOCUMENT
    for table, (actions, places) in tables.items():
        arn = _ARN + len(table.name_in(environment))
        length += _STATEMENT + len(table.title)
        length += sum(_ACTION + len(action) for action in actions) - 1
        length += sum(arn + (_INDEX + len(place) if place else 0) for place in places) - 1
    return length
