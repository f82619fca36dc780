"""SK704 silent-create: an update makes a record that was not there."""

from collections.abc import Iterator

from sortkey.check.conditions import anywhere, demands_presence
from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.expressions.tree import AttributeNotExists


@rule("SK704", "silent-create", WARNING)
def silent_create(model: Model) -> Iterator[Fault]:
    """An update makes a record that was not there.

    UpdateItem writes a record with nothing but the key and what was set where it finds none: half a
    profile of somebody who was deleted a moment ago. sortkey's `update()` refuses that, and
    `upsert()` makes a whole record.

    Flagged:
        class Old(Table, raw=True):
            pass

        rename = raw_pattern(
            "Rename a user",
            table=Old,
            operation="UpdateItem",
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            update="SET title = :title",
            values={":title": "{title}"},
            arguments={"user_id": str, "title": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        rename = raw_pattern(
            "Rename a user",
            table=Old,
            operation="UpdateItem",
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            update="SET title = :title",
            condition="attribute_exists(PK)",
            values={":title": "{title}"},
            arguments={"user_id": str, "title": str},
        )
    """
    for request in model.raw_requests:
        step = request.step
        if step.update is None or not step.update.creates:
            continue
        # Whoever asks for absence has thought of it.
        said = any(isinstance(part, AttributeNotExists) for part in anywhere(step.condition))
        if not said and not demands_presence(step.condition, request.table.key_names):
            yield Fault(
                request.pattern,
                "where there is no such record, its update makes one of the key and what is set",
                f"Add the condition attribute_exists({request.table.key_names[0]})",
            )
