"""SK417 merged-read: the result of a pattern is merged from several queries."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.wording.prose import listed


@rule("SK417", "merged-read", INFORMATION)
def merged_read(model: Model) -> Iterator[Finding]:
    """The result of a pattern is merged from several queries.

    That is right if no single key contains the result. Each page needs a Query for every part, so
    the cost is worth knowing. One record for each side, written in the same transaction, would need
    one Query.

    Flagged:
        class Calls(Table, partition="id"):
            of_caller = gsi("caller", "at")
            of_called = gsi("called", "at")

        class Call(Entity, table=Calls):
            id: str
            caller: str
            called: str
            at: datetime
            from_them = Calls.of_caller.key()
            to_them = Calls.of_called.key()

        @pattern("Calls of a person", rate="5/s", page=20)
        def calls(person: str, after: str | None = None) -> Op[Page[Call]]:
            made = Call.query(Call.from_them, caller=person)
            taken = Call.query(Call.to_them, called=person)
            return merged(made, taken, by=lambda call: call.at).page(20, after)

    Instead:
        class Calls(Table):
            pass

        class Call(Entity, table=Calls):
            person: str
            at: datetime
            other: str
            primary = Calls.primary.key("PERSON#{person}", "CALL#{at}#{other}")

        @pattern("Calls of a person", rate="5/s", page=20)
        def calls(person: str, after: str | None = None) -> Op[Page[Call]]:
            return Call.query(person=person).page(20, after)
    """
    for planned in model.patterns:
        merged = [p.requests for p in planned.paths if p.shape == "pages" and len(p.requests) > 1]
        if merged:
            most = max(merged, key=len)
            indexes = listed(dict.fromkeys(str(request.index) for request in most))
            yield Finding(
                planned.pattern,
                f"each page is merged from {len(most)} queries, of {indexes}",
                "No change is needed; a single key with all of these records would need one Query",
            )
