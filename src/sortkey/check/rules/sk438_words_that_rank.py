"""SK438 words-that-rank: words such as low, medium and high are sorted as text."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from sortkey.check.fields import type_of
from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.design.plans.key_forms import meant_fields
from sortkey.design.records.keys.entity_key import EntityKey

# From the least to the most.
_SCALES = (
    (
        *("none", "trivial", "lowest", "low", "minor", "normal", "medium", "moderate", "major"),
        *("high", "highest", "severe", "urgent", "critical", "blocker"),
    ),
    ("xs", "s", "small", "m", "medium", "l", "large", "xl", "xxl"),
    ("free", "basic", "bronze", "silver", "gold", "platinum", "diamond"),
    ("beginner", "novice", "easy", "medium", "intermediate", "hard", "advanced", "expert"),
    ("trace", "debug", "info", "notice", "warn", "warning", "error", "critical", "fatal"),
)
# With only two words, the order is less likely to matter.
_LEAST = 3


@rule("SK438", "words-that-rank", INFORMATION)
def words_that_rank(model: Model) -> Iterator[Finding]:
    """Words such as low, medium and high are sorted as text.

    DynamoDB compares a sort key byte by byte, so "high" comes before "low", and "medium" comes
    last. A query across all of them returns records in that order, and a limit keeps the wrong
    ones. Write a number for each word into the key. Severity is information, because only the words
    suggest an order.

    Flagged:
        class Task(Entity, table=App):
            user_id: str
            task_id: str
            priority: Literal["low", "medium", "high"]
            primary = App.primary.key("USER#{user_id}", "TASK#{task_id}")
            ranked = App.gsi1.key("USER#{user_id}", "{priority}#{task_id}")

        @pattern("The tasks of a user by priority", rate="5/s")
        def tasks(user_id: str) -> Op[list[Task]]:
            return Task.query(Task.ranked, user_id=user_id).limit(20)

    Instead:
        class Task(Entity, table=App):
            user_id: str
            task_id: str
            priority: Literal["low", "medium", "high"]
            rank: Annotated[int, Field(ge=1, le=3)]
            primary = App.primary.key("USER#{user_id}", "TASK#{task_id}")
            ranked = App.gsi1.key("USER#{user_id}", "{rank:01d}#{task_id}")

        @pattern("The tasks of a user by priority", rate="5/s")
        def tasks(user_id: str) -> Op[list[Task]]:
            return Task.query(Task.ranked, user_id=user_id).limit(20)
    """
    for kind in model.kinds:
        for key in kind.keys.values():
            readers = [r for r in model.queries if kind in r.kinds and r.key_of(kind) is key]
            for name in _first_open(key, readers):
                values = _texts(type_of(kind, name))
                if _is_misordered(values):
                    yield Finding(
                        key,
                        f'the sort key sorts "{name}" as text: {", ".join(sorted(values))}',
                        f"Write a number for {name} into the sort key, such as 1 for the first",
                    )


def _first_open(key: EntityKey, readers: list[PlannedRequest]) -> set[str]:
    """Return the first field that each query leaves open, or the first field of the key."""
    specified = [
        {
            name
            for part in key.sort
            for name in meant_fields(request.step, part.attribute.name, part.template)
        }
        for request in readers
    ] or [set[str]()]
    fields = [name for part in key.sort for name in part.fields]
    opens = [[name for name in fields if name not in known] for known in specified]
    return {names[0] for names in opens if names}


def _texts(held: Any) -> list[str]:
    if get_origin(held) is Literal:
        return [value for value in get_args(held) if isinstance(value, str)]
    if isinstance(held, type) and issubclass(held, Enum):
        return [member.value for member in held if isinstance(member.value, str)]
    return []


def _is_misordered(values: list[str]) -> bool:
    """Whether words belong to one scale, and are neither in its order nor in the opposite one."""
    for scale in _SCALES:
        ranks = [scale.index(word.lower()) for word in sorted(values) if word.lower() in scale]
        if len(values) >= _LEAST and len(ranks) == len(values):
            return ranks not in (sorted(ranks), sorted(ranks, reverse=True))
    return False
