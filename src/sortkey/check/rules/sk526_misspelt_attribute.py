"""SK526 misspelt-attribute: a raw request uses a misspelt attribute name."""

from collections import Counter
from collections.abc import Iterator

from sortkey.check.model import Model, PlannedRequest
from sortkey.check.raw_keys import RawKeys, judged
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.tables.table import TableDefinition
from sortkey.expressions.evaluate import condition_names
from sortkey.wording.names import words
from sortkey.wording.spelling import meant_by


@rule("SK526", "misspelt-attribute", WARNING)
def misspelt_attribute(model: Model) -> Iterator[Finding]:
    """A raw request uses an unknown attribute whose name is close to a known one.

    DynamoDB accepts every name as an attribute. A write to it does not change the intended one, and
    a condition on it compares with an absent value. Names are case-sensitive.

    Flagged:
        class Old(Table, raw=True):
            pass

        class User(Entity, table=Old):
            user_id: str
            email: str = ""
            primary = Old.primary.key("USER#{user_id}", "PROFILE")

        change = raw_pattern(
            "Change the address of a user",
            table=Old,
            operation="UpdateItem",
            entity=User,
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            update="SET emial = :email",
            condition="attribute_exists(PK)",
            values={":email": "{email}"},
            arguments={"user_id": str, "email": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class User(Entity, table=Old):
            user_id: str
            email: str = ""
            primary = Old.primary.key("USER#{user_id}", "PROFILE")

        change = raw_pattern(
            "Change the address of a user",
            table=Old,
            operation="UpdateItem",
            entity=User,
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            update="SET email = :email",
            condition="attribute_exists(PK)",
            values={":email": "{email}"},
            arguments={"user_id": str, "email": str},
        )
    """
    named = Counter(
        (request.table.title, name)
        for request in model.raw_requests
        for name in {name for _, name in _named(request)}
    )
    for request in judged(model):
        known = _known(model, request.table)
        for member, name in _named(request):
            # A name that several requests use is an attribute that no entity describes; SK515
            # reports one that the index does not contain.
            is_reported = member == "filter" and name in request.unheld_in_filter
            if name not in known and named[request.table.title, name] == 1 and not is_reported:
                meant = _meant(RawKeys(model, request), name)
                if meant is not None:
                    yield Finding(
                        request.pattern,
                        f"{request.table} has no attribute {name}: did you mean {meant}?",
                        f"Write {meant}, or declare {name} as a field",
                        at=request.place(member),
                    )


def _named(request: PlannedRequest) -> Iterator[tuple[str, str]]:
    """Yield the attributes that a request names, with the member that names them."""
    step = request.step
    yield from (("item", name) for name in step.item or ())
    yield from (("update", name) for name in (step.update.targets if step.update else ()))
    for member, condition in (("filter", step.filter), ("condition", step.condition)):
        if condition is not None:
            yield from ((member, name) for name in sorted(condition_names(condition)))


def _known(model: Model, table: TableDefinition) -> set[str | None]:
    """Return the attributes of a table: of keys, of entities, and those that sortkey adds."""
    fields = {name for kind in model.kinds_of(table) for name in kind.stored_names.values()}
    own = {table.type_attribute, table.shape_attribute, table.settings.ttl}
    return {*fields, *_keys(table), *own}


def _keys(table: TableDefinition) -> set[str]:
    indexes = (table.primary, *table.indexes.values())
    return {attribute.name for index in indexes for attribute in index.attributes}


def _meant(keys: RawKeys, name: str) -> str | None:
    """Return the probably intended attribute, unless another rule reports it."""
    step = keys.request.step
    fields = {f.stored: f for kind in keys.kinds for f in kind.codec.fields.values()}
    meant = meant_by(name, [*sorted(_keys(step.table)), *fields])
    if meant is None or (step.item is not None and meant in step.item):
        return None
    if meant not in fields:
        return meant
    is_spelt_otherwise = words(name) == words(meant)
    is_missing = step.item is not None and fields[meant].required
    return None if is_spelt_otherwise or is_missing else meant
