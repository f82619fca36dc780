"""SK806 growing-item: a record grows with each update, without a limit."""

from collections.abc import Iterator

from sortkey.check.absence import SETS, why_absent
from sortkey.check.conditions import anywhere
from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.plans.demand import choices_of
from sortkey.design.plans.sources import PlannedPart, arguments_in
from sortkey.design.records.marks import plain_type
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
def growing_item(model: Model) -> Iterator[Finding]:
    """A record grows with each update, without a limit.

    Each time a member is added, the whole list, set or map is written again, so every write costs
    more than the last, and at 400 KB the next one is rejected. If each member is a separate record
    in the same partition, there is no such limit. A condition on the size sets a limit; an empty
    set is absent, so the condition has to allow that too. If no rate declares how often it grows,
    it is information.

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
                yield Finding(
                    request.pattern,
                    f"{name} grows with each update, up to the limit of 400 KB per item",
                    "Store its members as separate records, or add the condition "
                    + _bound(request, name),
                    at="update",
                    severity=INFORMATION if request.rate is None else WARNING,
                )


def _bound(request: PlannedRequest, name: str) -> str:
    """Return a condition that limits the growth and holds for the first member too."""
    limit = f"size({name}) < {':n' if request.is_raw else 'n'}"
    if why_absent(request, Path((name,))) is None:
        return limit
    if request.is_raw:
        return f"attribute_not_exists({name}) OR {limit}"
    return f"missing({name}) | ({limit})"


def _growing(request: PlannedRequest) -> Iterator[str]:
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


def _is_new_member(request: PlannedRequest, path: Path) -> bool:
    """Whether a value is written under a map key that may be new, one of many."""
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


def _sizes(request: PlannedRequest) -> Iterator[str]:
    """Yield the attributes whose size the condition compares."""
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
