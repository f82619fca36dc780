"""SK133 id-not-in-key: an entity has an id of its own that its primary key does not contain."""

from collections.abc import Iterator

from sortkey.check.fields import distinguishing_times, ids_not_in_key
from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.design.compile import appended


@rule("SK133", "id-not-in-key", INFORMATION)
def id_not_in_key(model: Model) -> Iterator[Fault]:
    """An entity has an id of its own that its primary key does not contain.

    Two records with different ids and the same key fields have one key, and the later overwrites
    the earlier. It is for information, since only the name says that the field is the id. Where the
    key is right, declare with `identity=` what distinguishes two records.

    Flagged:
        class Measurement(Entity, table=App):
            user_id: str
            measurement_id: str
            day: date
            primary = App.primary.key("USER#{user_id}", "MEASURED#{day}")

    Instead:
        class Measurement(Entity, table=App):
            user_id: str
            measurement_id: str
            day: date
            primary = App.primary.key("USER#{user_id}", "MEASURED#{day}#{measurement_id}")
    """
    for kind in model.kinds:
        # Where only a time distinguishes records, SK208 names the id.
        for name in [] if distinguishing_times(kind) else ids_not_in_key(kind):
            yield Fault(
                kind.primary,
                f'"{name}" looks like the id of {kind.name} records and is not in the key: two of '
                "them may overwrite each other",
                f"{appended(kind.primary, name)}, or declare identity=(...) if the key suffices",
            )
