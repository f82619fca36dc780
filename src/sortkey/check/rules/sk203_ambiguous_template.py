"""SK203 ambiguous-template: a key's text can be read in two ways."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK203", "ambiguous-template", ERROR)
def ambiguous_template(model: Model) -> Iterator[Finding]:
    """A key's text can be read in two ways.

    Where nothing stands between two fields, "ab" and "c" make the same key as "a" and "bc": two
    records share it, and one overwrites the other.

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
