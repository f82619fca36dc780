"""SK410 needs-what-it-finds: a pattern takes the id of the record that it is to find."""

from collections.abc import Iterator

from sortkey.check.fields import own_ids, words
from sortkey.check.model import Model, Request
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.design.sources import arguments_in, source_of
from sortkey.expressions.conjuncts import equalities


@rule("SK410", "needs-what-it-finds", WARNING)
def needs_what_it_finds(model: Model) -> Iterator[Fault]:
    """A pattern takes the id of the record that it is to find.

    It lists the records of an owner, but only among those of one id, which the caller would have to
    know already. This key cannot return all records of an owner: the owner belongs into a
    partition.

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
        for name in sorted(_ids_given(request)):
            for owner in sorted(_only_filtered(request)):
                yield Fault(
                    request.pattern,
                    f'it takes "{name}", the id of the one record that it can find, and "{owner}" '
                    "only filters that",
                    f"Put `{owner}` into the partition of an index, and query by it",
                )


def _ids_given(request: Request) -> set[str]:
    """The inputs in the partition that are ids of the very records that are read."""
    if len(request.kinds) != 1:
        return set()
    own = own_ids(request.kinds[0])
    return {name for name in request.partition_arguments if "_".join(words(name)) in own}


def _only_filtered(request: Request) -> set[str]:
    named = {n for _, v in equalities(request.step.filter) for n in arguments_in(source_of(v))}
    return named - request.key_arguments
