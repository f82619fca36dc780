"""SK608 no-alarms: no alarm reports throttled requests."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, rule


@rule("SK608", "no-alarms", INFORMATION)
def no_alarms(model: Model) -> Iterator[Finding]:
    """No alarm reports requests that are throttled or fail.

    Throttling first causes slow responses, and only later failed requests. An alarm on throttled
    requests and on system errors costs a few cents a month. It is reported once per design.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        about = About(environments=("dev", "prod"))

    Instead:
        class Notes(Table, settings=Settings(alarms=Alarms())):
            pass

        class Note(Entity, table=Notes):
            note_id: str
            primary = Notes.primary.key("NOTE#{note_id}", "NOTE")

        about = About(environments=("dev", "prod"))
    """
    # A design with a single environment is not deployed yet.
    if len(model.design.about.environments) <= 1:
        return
    without = [
        table.__name__
        for table in model.design.tables
        if table.definition.settings.alarms is None and not table.definition.settings.ephemeral
    ]
    if without:
        yield Finding(
            model.design.about,
            f"no alarm reports throttled requests to {', '.join(without)}",
            "Give each of them `settings=Settings(alarms=Alarms())`, and subscribe to the topic",
        )
