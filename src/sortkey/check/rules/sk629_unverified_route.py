"""SK629 unverified-route: a route is not open, but its API has no issuer."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.declaring.functions import Route
from sortkey.wording.prose import listed


@rule("SK629", "unverified-route", WARNING)
def unverified_route(model: Model) -> Iterator[Finding]:
    """A route is not open, but its API has no issuer.

    API Gateway then lets every request pass, whether it has a token or not. The function must
    verify the token itself, or anybody can call it. Declare a route as open if that is intended, as
    for webhooks, whose functions verify a signature.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        read = Function(
            "read",
            handler="notes.functions:read",
            role=Role("reader", [note]),
            triggers=[Route(HttpApi(), "GET /notes/{note_id}")],
        )

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        issuer = Setting("ISSUER", "The address of the issuer of tokens")
        read = Function(
            "read",
            handler="notes.functions:read",
            role=Role("reader", [note]),
            triggers=[Route(HttpApi(issuer=issuer, audience="notes"), "GET /notes/{note_id}")],
        )
    """
    for function in model.design.functions:
        closed = [
            one.request
            for one in function.triggers
            if isinstance(one, Route) and one.api.issuer is None and not one.open
        ]
        if closed:
            yield Finding(
                function,
                f"callers of {listed(closed)} need a token, but the API has no issuer, so nobody "
                "verifies it",
                "Give the HttpApi `issuer=` and `audience=`, or the route `open=True`",
            )
