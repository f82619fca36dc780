"""SK603 ignored-without-reason: a rule is ignored, and nothing says why."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK603", "ignored-without-reason", ERROR)
def ignored_without_reason(model: Model) -> Iterator[Finding]:
    """A rule is ignored, and nothing says why.

    Whoever reads it next cannot know whether the reason still holds.

    Flagged:
        class Note(Entity, table=App, ignore={"SK208": ""}):
            user_id: str
            at: datetime
            primary = App.primary.key("USER#{user_id}", "NOTE#{at}")

    Instead:
        class Note(Entity, table=App, ignore={"SK208": "the device writes one a second at most"}):
            user_id: str
            at: datetime
            primary = App.primary.key("USER#{user_id}", "NOTE#{at}")
    """
    return model.collected("SK603")
