"""SK702 unguarded-write: a write does not uphold a guarantee of its entity."""

from collections.abc import Iterator

from sortkey.check.conditions import demands_absence
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.expressions.evaluate import condition_names


@rule("SK702", "unguarded-write", ERROR)
def unguarded_write(model: Model) -> Iterator[Finding]:
    """A write does not uphold a guarantee of its entity.

    A version needs a condition on it, and an immutable record needs the condition that it does not
    exist yet. Without them two writers overwrite each other without an error. Reading first does
    not help: the other write can come in between. sortkey's own writes have these conditions.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Award(Entity, table=Old, immutable=True):
            user_id: str
            part: str
            primary = Old.primary.key("USER#{user_id}", "AWARD#{part}")

        award = raw_pattern(
            "Award a part",
            table=Old,
            operation="PutItem",
            entity=Award,
            item={"PK": "USER#{user_id}", "SK": "AWARD#{part}"},
            arguments={"user_id": str, "part": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Award(Entity, table=Old, immutable=True):
            user_id: str
            part: str
            primary = Old.primary.key("USER#{user_id}", "AWARD#{part}")

        award = raw_pattern(
            "Award a part",
            table=Old,
            operation="PutItem",
            entity=Award,
            item={"PK": "USER#{user_id}", "SK": "AWARD#{part}"},
            condition="attribute_not_exists(PK)",
            arguments={"user_id": str, "part": str},
        )
    """
    for request in model.raw_requests:
        if request.writes and len(request.kinds) == 1:
            for message, fix in _broken(request.kinds[0], request):
                yield Finding(request.pattern, message, fix, at="condition")


def _broken(kind: AnyKind, request: PlannedRequest) -> Iterator[tuple[str, str]]:
    condition, verb = request.step.condition, request.verb
    names = frozenset[str]() if condition is None else condition_names(condition)
    is_create = demands_absence(condition, request.table.key_names, request.step.item)
    if kind.immutable and not (verb == "PutItem" and is_create):
        yield (
            f"{kind.name} is immutable, but this {verb} may change one",
            _create(request) if verb == "PutItem" else "Put a new record instead",
        )
    elif kind.version is not None and kind.version not in names and not is_create:
        yield (
            f"{kind.name} has a version, but this {verb} does not compare it",
            f"Add the condition `{kind.version} = :loaded`, and increment it",
        )
    targets = () if request.step.update is None else request.step.update.targets
    for field in sorted(kind.frozen_fields):
        if kind.stored_names[field] in targets:
            yield (
                f"{kind.name}.{field} is immutable, but this update changes it",
                f"Remove `{kind.stored_names[field]}` from the update",
            )


def _create(request: PlannedRequest) -> str:
    condition = f'`condition="attribute_not_exists({request.table.key_names[0]})"`'
    if request.shape == "batch":
        return f"Use TransactWriteItems, with {condition}: a batch has no conditions"
    return f"Add {condition}"
