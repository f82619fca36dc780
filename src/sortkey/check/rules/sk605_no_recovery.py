"""SK605 no-recovery: a table cannot be brought back to what it was."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK605", "no-recovery", WARNING)
def no_recovery(model: Model) -> Iterator[Fault]:
    """A table cannot be brought back to what it was.

    A bug that overwrites records, or a script on the wrong table, is undone only by point-in-time
    recovery, which keeps every second of up to 35 days. `Settings(ephemeral=True)` says that
    nothing in a table is worth it.

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
            yield Fault(
                table,
                "it has no point-in-time recovery, so what a bug overwrites is lost",
                "Add `settings=Settings(recovery_days=35)`, or declare it ephemeral=True",
            )
