"""SK603 ignored-without-reason: a rule is ignored without a reason."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK603", "ignored-without-reason", ERROR)
def ignored_without_reason(model: Model) -> Iterator[Finding]:
    """A rule is ignored without a reason.

    The next reader cannot know whether the reason still applies.

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
