"""SK438 words-that-rank: words such as low, medium and high are ordered as texts."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from sortkey.check.fields import type_of
from sortkey.check.model import Model, Request
from sortkey.check.reach import meant_fields
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.design.keys import EntityKey

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
# Two words may be in order by chance, and are read as a pair of names.
_LEAST = 3


@rule("SK438", "words-that-rank", INFORMATION)
def words_that_rank(model: Model) -> Iterator[Fault]:
    """Words such as low, medium and high are ordered as texts.

    DynamoDB compares a sort key byte by byte, so "high" comes before "low", and "medium" is last. A
    query that reads records of all of them returns them in that order, and a limit keeps the wrong
    ones. Write a number for each word into the key. It is for information, since only the words say
    that they have an order.

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
                said = _texts(type_of(kind, name))
                if _is_misordered(said):
                    yield Fault(
                        key,
                        f'the sort key orders "{name}" as text: {", ".join(sorted(said))}',
                        f"Write a number for {name} into the sort key, such as 1 for the first",
                    )


def _first_open(key: EntityKey, readers: list[Request]) -> set[str]:
    """The fields by which records are ordered first, in a query or as the key is."""
    given = [
        {
            name
            for part in key.sort
            for name in meant_fields(request.step, part.attribute.name, part.template)
        }
        for request in readers
    ] or [set[str]()]
    fields = [name for part in key.sort for name in part.fields]
    opens = [[name for name in fields if name not in known] for known in given]
    return {names[0] for names in opens if names}


def _texts(held: Any) -> list[str]:
    if get_origin(held) is Literal:
        return [value for value in get_args(held) if isinstance(value, str)]
    if isinstance(held, type) and issubclass(held, Enum):
        return [member.value for member in held if isinstance(member.value, str)]
    return []


def _is_misordered(said: list[str]) -> bool:
    """Whether words belong to one scale, and are neither in its order nor in the opposite one."""
    for scale in _SCALES:
        ranks = [scale.index(word.lower()) for word in sorted(said) if word.lower() in scale]
        if len(said) >= _LEAST and len(ranks) == len(said):
            return ranks not in (sorted(ranks), sorted(ranks, reverse=True))
    return False
