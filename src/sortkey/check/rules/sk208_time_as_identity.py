"""SK208 time-as-identity: only a time distinguishes two records."""

from collections.abc import Iterator

from sortkey.check.fields import distinguishing_times, ids_not_in_key, is_moment
from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule
from sortkey.design.compile import appended


@rule("SK208", "time-as-identity", WARNING)
def time_as_identity(model: Model) -> Iterator[Fault]:
    """Only a time distinguishes two records of a partition.

    Two things do happen in one second, and even in one microsecond: the later record overwrites
    the earlier. A date alone is taken for what it says, one record a day. `identity=` declares
    that the time is enough. It is for information where only the name says that a text is a time.

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
        times = distinguishing_times(kind)
        if times:
            ids = ids_not_in_key(kind)
            fix = appended(kind.primary, ids[0]) if ids else "Append an id to the sort key"
            yield Fault(
                kind.primary,
                f'only "{times[0]}" distinguishes two {kind.name} records of a partition, and two '
                "may have the same time",
                f"{fix}, or declare identity=(...) if there is only one",
                severity=WARNING if all(is_moment(kind, n) for n in times) else INFORMATION,
            )
