"""SK206 delimiter-in-text: nothing keeps the delimiter of a key out of a free text."""

from collections.abc import Iterator

from sortkey.check.fields import has_pattern
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.design.slots import Slot
from sortkey.design.templates import Template


@rule("SK206", "delimiter-in-text", WARNING)
def delimiter_in_text(model: Model) -> Iterator[Fault]:
    """Nothing keeps the delimiter of a key out of a free text before it.

    "a#b" and "c" then make the same key as "a" and "b#c", so two records share it, and one user
    can choose a name that reads into the records of another. sortkey refuses such a value when it
    builds a key; a design that is written elsewhere, a raw one, has to do so itself.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Metrics(Entity, table=Old):
            user_id: str
            period: str
            primary = Old.primary.key("METRICS", "METRICS#{user_id}#{period}")

    Instead:
        class Old(Table, raw=True):
            pass

        class Metrics(Entity, table=Old):
            user_id: Annotated[str, Field(pattern="^[a-z0-9-]+$")]
            period: str
            primary = Old.primary.key("METRICS", "METRICS#{user_id}#{period}")
    """
    for kind in model.kinds:
        if not kind.table.raw:
            continue
        for key in kind.keys.values():
            for part in key.parts:
                for name in _open(kind, part.template):
                    yield Fault(
                        key,
                        f'"{name}" is any text, and what follows it in "{part.template}" is known '
                        "only by the delimiter, which the text may contain",
                        f"Refuse or encode the delimiter in {name}, or hold it to a pattern",
                    )


def _open(kind: AnyKind, template: Template) -> Iterator[str]:
    """The fields of free text after which a text and another field follow."""
    slots = [place for place, part in enumerate(template.parts) if isinstance(part, Slot)]
    for place in slots[:-1]:
        slot = template.parts[place]
        if isinstance(slot, Slot) and slot.is_text and not has_pattern(kind, slot.field):
            yield slot.field
