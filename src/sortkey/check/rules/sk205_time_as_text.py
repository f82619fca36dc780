"""SK205 time-as-text: a sort key is ordered by a time that is free text."""

from collections.abc import Iterator

from sortkey.check.fields import has_pattern, is_text, looks_like_time
from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, rule


@rule("SK205", "time-as-text", INFORMATION)
def time_as_text(model: Model) -> Iterator[Finding]:
    """A sort key is ordered by a time that is free text.

    Strings sort chronologically only in one time zone and with one precision:
    "2024-05-01T10:00:00Z" comes after "2024-05-01T10:00:00.5Z", and "+02:00" is not converted. A
    datetime always has the same format, and a pattern can restrict text to one format. Severity is
    information, because only the name suggests that the text is a time.

    Flagged:
        class Event(Entity, table=App):
            user_id: str
            event_id: str
            created_at: str
            primary = App.primary.key("USER#{user_id}", "EVENT#{created_at}#{event_id}")

    Instead:
        class Event(Entity, table=App):
            user_id: str
            event_id: str
            created_at: datetime
            primary = App.primary.key("USER#{user_id}", "EVENT#{created_at}#{event_id}")
    """
    for kind in model.kinds:
        for key in kind.keys.values():
            for name in dict.fromkeys(name for part in key.sort for name in part.fields):
                if looks_like_time(name) and is_text(kind, name) and not has_pattern(kind, name):
                    yield Finding(
                        key,
                        f'"{name}" is a time as free text, so zones and precisions may differ, and '
                        "the key does not sort chronologically",
                        f"Declare `{name}: datetime` or `{name}: date`, or give it a pattern",
                    )
