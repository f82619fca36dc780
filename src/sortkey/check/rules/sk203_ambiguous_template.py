"""SK203 ambiguous-template: the text of a key can be read in two ways."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK203", "ambiguous-template", ERROR)
def ambiguous_template(model: Model) -> Iterator[Finding]:
    """The text of a key can be read in two ways.

    If nothing separates two fields, "ab" and "c" make the same key as "a" and "bc": two records
    share the key, and one overwrites the other.

    Flagged:
        class Part(Entity, table=App):
            model: str
            code: str
            primary = App.primary.key("{model}{code}", "PART")

    Instead:
        class Part(Entity, table=App):
            model: str
            code: str
            primary = App.primary.key("{model}#{code}", "PART")
    """
    return model.collected("SK203")
