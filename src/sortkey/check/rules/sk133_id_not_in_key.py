"""SK133 id-not-in-key: an entity has an id of its own that its primary key does not contain."""

from collections.abc import Iterator

from sortkey.check.fields import is_named_in_key, own_ids
from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Fault, rule


@rule("SK133", "id-not-in-key", INFORMATION)
def id_not_in_key(model: Model) -> Iterator[Fault]:
    """An entity has an id of its own that its primary key does not contain.

    Two records with different ids and the same key fields have one key, and the later overwrites
    the earlier. It is for information, since only the name says that the field is the id. Where the
    key is right, `identity=` says what tells two records apart.

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
        if kind.identity or is_named_in_key(kind):
            continue
        referring = {relation.field for relation in kind.relations}
        for name in sorted(own_ids(kind) & kind.required() - kind.key_fields - referring):
            yield Fault(
                kind.primary,
                f'"{name}" looks like what tells one {kind.name} from another, and is not in the '
                "key: two of them may overwrite each other",
                f"Append #{{{name}}} to the sort key, or say identity=(...) if the key suffices",
            )
