"""SK606 no-deletion-protection: a table is deleted by one call."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK606", "no-deletion-protection", WARNING)
def no_deletion_protection(model: Model) -> Iterator[Fault]:
    """A table is deleted by one call.

    With deletion protection, a mistaken script or a stack that is taken down fails instead, and
    an operator turns the protection off first. `Settings(ephemeral=True)` says that a table
    can be lost.

    Flagged:
        class Orders(Table, settings=Settings(deletion_protection=False)):
            pass

    Instead:
        class Orders(Table, settings=Settings(deletion_protection=True)):
            pass
    """
    for table in model.design.tables:
        settings = table.definition.settings
        if not settings.deletion_protection and not settings.ephemeral:
            yield Fault(
                table,
                "nothing protects it from being deleted",
                "Add `settings=Settings(deletion_protection=True)`, or declare it ephemeral=True",
            )
