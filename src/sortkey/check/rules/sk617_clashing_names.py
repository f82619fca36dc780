"""SK617 clashing-names: two tables or two roles of a design have the same name in AWS."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.declaring.roles import Role
from sortkey.design.tables.table import Table
from sortkey.wording.names import words


@rule("SK617", "clashing-names", ERROR)
def clashing_names(model: Model) -> Iterator[Finding]:
    """Two tables or two roles of a design have the same name in AWS.

    A deployment fails if it creates two tables with the same name, or if two resources of a
    template have the same id. If two tables export their names to the same parameter, programs find
    only the one that was written last.

    Flagged:
        class Orders(Table, name="{environment}-orders"):
            pass

        class Returns(Table, name="{environment}-orders"):
            pass

    Instead:
        class Orders(Table, name="{environment}-orders"):
            pass

        class Returns(Table, name="{environment}-returns"):
            pass
    """
    clashing: set[type[Table]] = set()
    for environment in model.design.about.environments:
        seen: dict[str, type[Table]] = {}
        for table in model.design.tables:
            name = table.definition.name_in(environment)
            first = seen.setdefault(name, table)
            # A table of another program may be declared again in order to read it.
            is_same_style = first.definition.raw == table.definition.raw
            if first is not table and is_same_style and table not in clashing:
                clashing.add(table)
                yield Finding(
                    table,
                    f'in {environment} it has the same name as {first.__name__}, "{name}"',
                    'Give one of them another name="..."',
                )
    yield from _exports(model)
    yield from _ids(model, clashing)
    yield from _roles(model)


def _exports(model: Model) -> Iterator[Finding]:
    for environment in model.design.about.environments:
        seen: dict[str, type[Table]] = {}
        for table in model.design.tables:
            settings = table.definition.settings
            standard = settings.standard or model.design.about.standard
            if settings.exported is None or standard is None:
                continue
            path = standard.parameter_in(environment, settings.exported)
            first = table if path is None else seen.setdefault(path, table)
            if first is not table:
                yield Finding(
                    table,
                    f'in {environment} its name is exported as "{path}", like the name of '
                    f"{first.__name__}",
                    "Give its Export another name",
                )


def _ids(model: Model, clashing: set[type[Table]]) -> Iterator[Finding]:
    """Yield the tables with the same id in templates, except those with the same name."""
    seen: dict[str, type[Table]] = {}
    for table in model.design.tables:
        logical = table.definition.logical_id
        first = seen.setdefault(logical, table)
        if first is not table and table not in clashing:
            yield Finding(
                table,
                f"its id in templates is {logical}, like that of "
                f"{first.__module__}.{first.__qualname__}",
                "Rename one of the classes",
            )


def _roles(model: Model) -> Iterator[Finding]:
    seen: dict[str, Role] = {}
    for role in model.design.roles:
        first = seen.setdefault(" ".join(words(role.name)), role)
        if first is not role:
            yield Finding(
                role,
                f'its policy has the same id as that of the role "{first.name}": the names differ '
                "at most in delimiters and case",
                "Give one of them another name",
            )
