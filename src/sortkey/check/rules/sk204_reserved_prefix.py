"""SK204 reserved-prefix: a key begins with the prefix of the locks of unique fields."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK204", "reserved-prefix", ERROR)
def reserved_prefix(model: Model) -> Iterator[Finding]:
    """A key begins with the prefix of the locks of unique fields.

    A record with such a key could replace a lock, and a value that is in use could be taken again.

    Flagged:
        class Code(Entity, table=App):
            code: str
            primary = App.primary.key("UNIQUE#{code}", "CODE")

    Instead:
        class Code(Entity, table=App):
            code: str
            primary = App.primary.key("CODE#{code}", "CODE")
    """
    return model.collected("SK204")
