"""SK141 bad-scope: a field is unique within a field that is missing or may be empty."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK141", "bad-scope", ERROR)
def bad_scope(model: Model) -> Iterator[Finding]:
    """A field is unique within a field that is missing or may be empty.

    `unique(within="org_id")` makes a value unique among the records with the same `org_id`. The
    lock record of the value has the scope in its key. A record without a scope would have no lock,
    so its value would not be unique.

    Flagged:
        class User(Entity, table=App):
            user_id: str
            org_id: str | None = None
            email: Annotated[str, unique(within="org_id")]
            primary = App.primary.key("USER#{user_id}", "USER")

    Instead:
        class User(Entity, table=App):
            user_id: str
            org_id: str
            email: Annotated[str, unique(within="org_id")]
            primary = App.primary.key("USER#{user_id}", "USER")
    """
    return model.collected("SK141")
