"""SK204 reserved-prefix: a key begins with the word that marks the locks of unique fields."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK204", "reserved-prefix", ERROR)
def reserved_prefix(model: Model) -> Iterator[Finding]:
    """A key begins with the word that marks the locks of unique fields.

    A record under such a key could take the place of a lock, and a value that is in use would be
    given away again.

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
