"""SK606 no-deletion-protection: a table can be deleted by a single call."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK606", "no-deletion-protection", WARNING)
def no_deletion_protection(model: Model) -> Iterator[Finding]:
    """A table can be deleted by a single call.

    With deletion protection, a mistaken script or the removal of a stack fails, and an operator has
    to turn the protection off first. `Settings(ephemeral=True)` declares that the data in a table
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
            yield Finding(
                table,
                "it is not protected from deletion",
                "Add `settings=Settings(deletion_protection=True)`, or declare it ephemeral=True",
            )
