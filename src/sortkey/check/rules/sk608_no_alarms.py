"""SK608 no-alarms: no alarm reports throttled requests."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Fault, rule


@rule("SK608", "no-alarms", INFORMATION)
def no_alarms(model: Model) -> Iterator[Fault]:
    """No alarm reports requests that are throttled or fail.

    Throttling shows as slow answers first, and as lost ones only later. An alarm on throttled
    requests and on system errors costs a few cents a month. It is said once for a design.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        about = About(environments=("dev", "prod"))

    Instead:
        class Notes(Table, settings=Settings(alarms=Alarms(notify="desk@example.org"))):
            pass

        class Note(Entity, table=Notes):
            note_id: str
            primary = Notes.primary.key("NOTE#{note_id}", "NOTE")

        about = About(environments=("dev", "prod"))
    """
    # A design that names no second environment is not deployed yet.
    if len(model.design.about.environments) <= 1:
        return
    without = [
        table.__name__
        for table in model.design.tables
        if table.definition.settings.alarms is None and not table.definition.settings.ephemeral
    ]
    if without:
        yield Fault(
            model.design.about,
            f"no alarm reports throttled requests to {', '.join(without)}",
            "Add `settings=Settings(alarms=Alarms(notify=...))`",
        )
