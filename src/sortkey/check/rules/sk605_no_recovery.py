"""SK605 no-recovery: a table cannot be restored to an earlier state."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK605", "no-recovery", WARNING)
def no_recovery(model: Model) -> Iterator[Finding]:
    """A table cannot be restored to an earlier state.

    After a bug that overwrites records, or a script on the wrong table, only point-in-time recovery
    brings the data back; it can restore any second of up to 35 days. `Settings(ephemeral=True)`
    declares that the data in a table can be lost.

    Flagged:
        class Orders(Table, settings=Settings(recovery_days=None)):
            pass

    Instead:
        class Orders(Table, settings=Settings(recovery_days=35)):
            pass
    """
    for table in model.design.tables:
        settings = table.definition.settings
        if settings.recovery_days is None and not settings.ephemeral:
            yield Finding(
                table,
                "it has no point-in-time recovery, so records that a bug overwrites are lost",
                "Add `settings=Settings(recovery_days=35)`, or declare it ephemeral=True",
            )
