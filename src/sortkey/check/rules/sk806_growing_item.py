"""SK806 growing-item: a record grows with each update."""

from collections.abc import Iterator

from sortkey.check.absence import SETS, why_absent
from sortkey.check.conditions import anywhere
from sortkey.check.model import Model, Request
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule
from sortkey.design.demand import choices_of
from sortkey.design.marks import plain_type
from sortkey.design.sources import PlannedPart, arguments_in
from sortkey.expressions.conjuncts import conjuncts
from sortkey.expressions.tree import (
    Add,
    AttributeExists,
    Between,
    Compare,
    ListAppend,
    Operand,
    Path,
    Set,
    Size,
)


@rule("SK806", "growing-item", WARNING)
def growing_item(model: Model) -> Iterator[Fault]:
    """A record grows with each update, and nothing stops it.

    A list, a set or a map in a record is written again as a whole for each member that is added, so
    every write costs more than the last, and at 400 KB the next is refused. Members that are
    records of their own, in the same partition, have no such end. A condition on its size says
    where it ends; a set is absent while it is empty, so the condition has to allow that too. Where
    no rate says how often it grows, it is for information.

    Flagged:
        class Chat(Entity, table=App):
            chat_id: str
            messages: list[str]
            primary = App.primary.key("CHAT#{chat_id}", "CHAT")

        @pattern("Say something", rate="50/s")
        def say(chat_id: str, text: str) -> Op[Chat]:
            return Chat.update(chat_id=chat_id).append(lambda c: c.messages).items(text)

    Instead:
        class Message(Entity, table=App):
            chat_id: str
            message_id: str
            text: str
            primary = App.primary.key("CHAT#{chat_id}", "MESSAGE#{message_id}")

        @pattern("Say something", rate="50/s")
        def say(message: Message) -> Op[Message]:
            return message.create()
    """
    for request in model.requests:
        bounded = set(_sizes(request))
        for name in _growing(request):
            if name not in bounded:
                yield Fault(
                    request.pattern,
                    f"{name} grows with each update and has no end but the 400 KB of an item",
                    "Make its members records of their own, or add the condition "
                    + _bound(request, name),
                    at="update",
                    severity=INFORMATION if request.rate is None else WARNING,
                )


def _bound(request: Request, name: str) -> str:
    """Return a condition that stops the growth, and holds for the first member too."""
    limit = f"size({name}) < {':n' if request.is_raw else 'n'}"
    if why_absent(request, Path((name,))) is None:
        return limit
    if request.is_raw:
        return f"attribute_not_exists({name}) OR {limit}"
    return f"missing({name}) | ({limit})"


def _growing(request: Request) -> Iterator[str]:
    for action in request.step.update.actions if request.step.update else ():
        match action:
            case Set(path, ListAppend()):
                yield path.name
            case Add(path, value) if SETS & value.value.keys():
                yield path.name
            case Set(path) | Add(path) if _is_new_member(request, path):
                yield path.name
            case _:
                pass


def _is_new_member(request: Request, path: Path) -> bool:
    """Whether a value is written under a key of a map that is one of many, and may be new."""
    last = path.parts[-1]
    if not isinstance(last, PlannedPart):
        return False
    types = {p.name: plain_type(p.type)[0] for p in request.pattern.parameters}
    names = arguments_in(last.source)
    is_few = bool(names) and all(choices_of(types.get(name)) is not None for name in names)
    exists = any(
        isinstance(part, AttributeExists) and part.path == path
        for part in conjuncts(request.step.condition)
    )
    return not is_few and not exists


def _sizes(request: Request) -> Iterator[str]:
    """The attributes whose size the condition looks at."""
    for part in anywhere(request.step.condition):
        operands: tuple[Operand, ...] = ()
        match part:
            case Compare(_, left, right):
                operands = (left, right)
            case Between(operand):
                operands = (operand,)
            case _:
                pass
        for operand in operands:
            if isinstance(operand, Size) and isinstance(operand.of, Path):
                yield operand.of.name
