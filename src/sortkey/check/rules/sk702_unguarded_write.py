"""SK702 unguarded-write: a write does not keep what its entity promises."""

from collections.abc import Iterator

from sortkey.check.conditions import demands_absence
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.expressions.evaluate import condition_names


@rule("SK702", "unguarded-write", ERROR)
def unguarded_write(model: Model) -> Iterator[Fault]:
    """A write does not keep what its entity promises.

    A version is kept by a condition on it, and what is immutable by a condition that there is none
    yet. Without them two writers overwrite each other without an error. Read-then-write does not
    help: the other comes in between. sortkey's own writes have their conditions.

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
                yield Fault(request.pattern, message, fix, at="condition")


def _broken(kind: AnyKind, request: Request) -> Iterator[tuple[str, str]]:
    condition, verb = request.step.condition, request.verb
    names = frozenset[str]() if condition is None else condition_names(condition)
    is_create = demands_absence(condition, request.table.key_names, request.step.item)
    if kind.immutable and not (verb == "PutItem" and is_create):
        yield (
            f"{kind.name} is immutable, and this {verb} may change one",
            _create(request) if verb == "PutItem" else "Put a new record instead",
        )
    elif kind.version is not None and kind.version not in names and not is_create:
        yield (
            f"{kind.name} has a version, and this {verb} does not look at it",
            f"Add the condition `{kind.version} = :loaded`, and raise it",
        )
    targets = () if request.step.update is None else request.step.update.targets
    for field in sorted(kind.frozen_fields):
        if kind.stored_names[field] in targets:
            yield (
                f"{kind.name}.{field} is immutable, and this update changes it",
                f"Remove `{kind.stored_names[field]}` from the update",
            )


def _create(request: Request) -> str:
    condition = f'`condition="attribute_not_exists({request.table.key_names[0]})"`'
    if request.shape == "batch":
        return f"Use TransactWriteItems, with {condition}: a batch takes no condition"
    return f"Add {condition}"
