"""SK208 time-as-identity: nothing but a time tells two records apart."""

from collections.abc import Iterator

from sortkey.check.fields import is_moment, is_text, looks_like_time
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule


@rule("SK208", "time-as-identity", WARNING)
def time_as_identity(model: Model) -> Iterator[Fault]:
    """Nothing but a time tells two records of a partition apart.

    Two things do happen in one second, and even in one microsecond: the later record overwrites
    the earlier. A date alone is taken for what it says, one record a day. `identity=` says that the
    time is meant to tell records apart. It is for information where only the name says that a text
    is a time.

    Flagged:
        class Event(Entity, table=App):
            user_id: str
            at: datetime
            primary = App.primary.key("USER#{user_id}", "EVENT#{at}")

    Instead:
        class Event(Entity, table=App):
            user_id: str
            at: datetime
            event_id: str
            primary = App.primary.key("USER#{user_id}", "EVENT#{at}#{event_id}")
    """
    for kind in model.kinds:
        key = kind.primary
        sort = [name for part in key.sort for name in part.fields]
        # What comes first chooses whose records these are.
        chosen = {name for part in key.partition for name in part.fields} or set(sort[:1])
        telling = [name for name in sort if name not in chosen]
        if telling and not kind.identity and all(_is_time(kind, name) for name in telling):
            yield Fault(
                key,
                f'only "{telling[0]}" tells two {kind.name} records of a partition apart, and two '
                "may have the same",
                "Append an id to the sort key, or say identity=(...) if there is only one",
                severity=WARNING if all(is_moment(kind, n) for n in telling) else INFORMATION,
            )


def _is_time(kind: AnyKind, name: str) -> bool:
    # Whoever writes times as text elsewhere may cut them to the day.
    return is_moment(kind, name) or (
        kind.table.raw and is_text(kind, name) and looks_like_time(name)
    )
