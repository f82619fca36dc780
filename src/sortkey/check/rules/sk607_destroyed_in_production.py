"""SK607 destroyed-in-production: a production table is destroyed with its stack."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule

_PRODUCTION = frozenset({"prod", "production", "live"})


@rule("SK607", "destroyed-in-production", WARNING)
def destroyed_in_production(model: Model) -> Iterator[Finding]:
    """A production table is destroyed with its stack.

    The same happens when the table is removed from the design. In development that is convenient.
    In production, renaming a class or replacing a stack deletes the data.

    Flagged:
        about = About(environments=("dev", "prod"))

        class Orders(Table, settings=Settings(removal="destroy")):
            pass

    Instead:
        about = About(environments=("dev", "prod"))

        class Orders(Table, settings=Settings(removal={"dev": "destroy", "prod": "retain"})):
            pass
    """
    for table in model.design.tables:
        settings = table.definition.settings
        for environment in model.design.about.environments:
            removal = settings.removal_in(environment)
            is_production = environment.lower() in _PRODUCTION
            if is_production and removal == "destroy" and not settings.ephemeral:
                yield Finding(
                    table,
                    f"in {environment} it is destroyed with its stack",
                    f'Add `settings=Settings(removal={{"{environment}": "retain", ...}})`',
                )
