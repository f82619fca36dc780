"""SK627 shared-route: two routes of an API have the same method and path."""

import re
from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.declaring.functions import Function, Route

_SLOT = re.compile(r"\{\w+\}")


@rule("SK627", "shared-route", ERROR)
def shared_route(model: Model) -> Iterator[Finding]:
    """Two routes of an API have the same method and path.

    API Gateway refuses the second one. Paths that differ only in the names of their slots are the
    same: no request tells `/notes/{note_id}` and `/notes/{id}` apart.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        api = HttpApi()
        reader = Role("reader", [note])
        read = Function(
            "read",
            handler="notes.functions:read",
            role=reader,
            triggers=[Route(api, "GET /notes/{note_id}", open=True)],
        )
        show = Function(
            "show",
            handler="notes.functions:show",
            role=reader,
            triggers=[Route(api, "GET /notes/{id}", open=True)],
        )

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        api = HttpApi()
        reader = Role("reader", [note])
        read = Function(
            "read",
            handler="notes.functions:read",
            role=reader,
            triggers=[Route(api, "GET /notes/{note_id}", open=True)],
        )
        show = Function(
            "show",
            handler="notes.functions:show",
            role=reader,
            triggers=[Route(api, "GET /pages/{note_id}", open=True)],
        )
    """
    seen: dict[tuple[str, str], Function] = {}
    for function in model.design.functions:
        for route in (one for one in function.triggers if isinstance(one, Route)):
            shape = (route.api.name, _SLOT.sub("{}", route.request))
            if shape in seen:
                yield Finding(
                    function,
                    f"it answers {route.request} of {route.api}, and so does {_other(seen, shape)}",
                    "Remove one of the routes, or give it another path",
                )
            seen.setdefault(shape, function)


def _other(seen: dict[tuple[str, str], Function], shape: tuple[str, str]) -> str:
    return f'the function "{seen[shape].name}"'
