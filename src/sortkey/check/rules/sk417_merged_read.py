"""SK417 merged-read: a pattern is answered by merging several queries."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Fault, rule


@rule("SK417", "merged-read", INFORMATION)
def merged_read(model: Model) -> Iterator[Fault]:
    """A pattern is answered by merging several queries.

    That is right where no single key holds the answer. Each page costs a Query of every part, so it
    is good to know. One record for each side, written in the same transaction, would need one
    Query.

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
    for asked in model.asked:
        merged = [p.requests for p in asked.paths if p.shape == "pages" and len(p.requests) > 1]
        if merged:
            most = max(merged, key=len)
            indexes = " and ".join(dict.fromkeys(str(request.index) for request in most))
            yield Fault(
                asked.pattern,
                f"each page is merged from {len(most)} queries, of {indexes}",
                "Nothing needs to be done; one key that holds all of it would need one Query",
            )
