"""SK111 recovery-days: the days of recovery are out of range."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK111", "recovery-days", ERROR)
def recovery_days(model: Model) -> Iterator[Finding]:
    """The days of recovery are out of range.

    DynamoDB restores a table to any second of the last 1 to 35 days, and keeps nothing for longer.
    For longer there are backups.

    Flagged:
        class Orders(Table, settings=Settings(recovery_days=90)):
            pass

    Instead:
        class Orders(Table, settings=Settings(recovery_days=35)):
            pass
    """
    return model.collected("SK111")
