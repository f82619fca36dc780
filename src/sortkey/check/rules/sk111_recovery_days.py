"""SK111 recovery-days: the recovery period is out of range."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK111", "recovery-days", ERROR)
def recovery_days(model: Model) -> Iterator[Finding]:
    """The recovery period is out of range.

    DynamoDB can restore a table to any second of the last 1 to 35 days. To keep data for longer,
    use backups.

    Flagged:
        class Orders(Table, settings=Settings(recovery_days=90)):
            pass

    Instead:
        class Orders(Table, settings=Settings(recovery_days=35)):
            pass
    """
    return model.collected("SK111")
