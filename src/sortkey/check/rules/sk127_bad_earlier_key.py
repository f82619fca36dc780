"""SK127 bad-earlier-key: records cannot be found under the declared earlier sort key."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK127", "bad-earlier-key", ERROR)
def bad_earlier_key(model: Model) -> Iterator[Finding]:
    """Records cannot be found under the declared earlier sort key.

    `earlier=` is the previous template of a primary key's sort key. A get or write knows only the
    fields of the key, so the earlier template must consist of these. No text may be the earlier key
    of one record and the key of another. A text that both templates make of the same values is
    allowed: `PART#10` is a key of `PART#{index:02d}` and of `PART#{index}`, and of one record.

    Flagged:
        class Reading(Entity, table=App):
            user_id: str
            day: date
            kind: str
            primary = App.primary.key("USER#{user_id}", "{day}#{kind}", earlier="{day}#{place}")
            place: str

    Instead:
        class Reading(Entity, table=App):
            user_id: str
            day: date
            kind: str
            primary = App.primary.key("USER#{user_id}", "{day}#{kind}", earlier="{day}")
            place: str
    """
    return model.collected("SK127")
