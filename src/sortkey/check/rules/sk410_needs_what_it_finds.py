"""SK410 needs-what-it-finds: a pattern requires the id of the record that it is meant to find."""

from collections.abc import Iterator

from sortkey.check.fields import own_ids
from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.plans.sources import arguments_in, source_of
from sortkey.expressions.conjuncts import equalities
from sortkey.wording.names import words


@rule("SK410", "needs-what-it-finds", WARNING)
def needs_what_it_finds(model: Model) -> Iterator[Finding]:
    """A pattern requires the id of the record that it is meant to find.

    It lists the records of an owner, but only among those with one id, which the caller would have
    to know already. This key cannot return all records of an owner: the owner belongs in a
    partition key.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Notification(Entity, table=Old):
            notification_id: str
            user_id: str
            primary = Old.primary.key("NOTIFICATION#{notification_id}", "USER#{user_id}")

        notifications = raw_pattern(
            "Notifications of a user",
            table=Old,
            operation="Query",
            entity=Notification,
            key_condition="PK = :pk",
            filter="userId = :user",
            values={":pk": "NOTIFICATION#{notification_id}", ":user": "{user_id}"},
            arguments={"notification_id": str, "user_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            gsi1 = gsi("GSI1PK", "GSI1SK")

        class Notification(Entity, table=Old):
            notification_id: str
            user_id: str
            primary = Old.primary.key("NOTIFICATION#{notification_id}", "USER#{user_id}")
            of_user = Old.gsi1.key("USER#{user_id}", "NOTIFICATION#{notification_id}")

        notifications = raw_pattern(
            "Notifications of a user",
            table=Old,
            operation="Query",
            index="gsi1",
            entity=Notification,
            key_condition="GSI1PK = :pk",
            values={":pk": "USER#{user_id}"},
            arguments={"user_id": str},
            where=lambda n, user_id: n.user_id == user_id,
        )
    """
    for request in model.queries:
        for name in sorted(_own_ids(request)):
            for owner in sorted(_only_filtered(request)):
                yield Finding(
                    request.pattern,
                    f'it requires "{name}", the id of the only record that it can find, and '
                    f'"{owner}" only filters that record',
                    f"Put `{owner}` into the partition key of an index, and query by it",
                )


def _own_ids(request: PlannedRequest) -> set[str]:
    """Return the inputs in the partition key that are ids of the records that are read."""
    if len(request.kinds) != 1:
        return set()
    own = own_ids(request.kinds[0])
    return {name for name in request.partition_arguments if "_".join(words(name)) in own}


def _only_filtered(request: PlannedRequest) -> set[str]:
    named = {n for _, v in equalities(request.step.filter) for n in arguments_in(source_of(v))}
    return named - request.key_arguments
