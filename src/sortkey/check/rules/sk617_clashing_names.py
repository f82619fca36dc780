"""SK617 clashing-names: two parts of a design have one name in AWS."""

from collections.abc import Iterator

from sortkey.check.fields import words
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.design.roles import Role
from sortkey.design.table import Table


@rule("SK617", "clashing-names", ERROR)
def clashing_names(model: Model) -> Iterator[Fault]:
    """Two tables or two roles of a design have one name in AWS.

    A deployment that creates two tables of one name fails, and so does one in which two resources
    of a template have the same id. Of two tables that export their names to one parameter, programs
    find only the one that was written last.

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
            # A table of another program may be declared again, to read it here.
            is_same_style = first.definition.raw == table.definition.raw
            if first is not table and is_same_style and table not in clashing:
                clashing.add(table)
                yield Fault(
                    table,
                    f'in {environment} it is called "{name}", and so is {first.__name__}',
                    'Give one of them another name="..."',
                )
    yield from _exports(model)
    yield from _ids(model, clashing)
    yield from _roles(model)


def _exports(model: Model) -> Iterator[Fault]:
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
                yield Fault(
                    table,
                    f'in {environment} its name is exported as "{path}", and so is that of '
                    f"{first.__name__}",
                    "Give its Export another name",
                )


def _ids(model: Model, clashing: set[type[Table]]) -> Iterator[Fault]:
    """Yield the tables with one id in templates, but for those with one name."""
    seen: dict[str, type[Table]] = {}
    for table in model.design.tables:
        logical = table.definition.logical_id
        first = seen.setdefault(logical, table)
        if first is not table and table not in clashing:
            yield Fault(
                table,
                f"it is called {logical} in the templates that deploy it, and so is "
                f"{first.__module__}.{first.__qualname__}",
                "Rename one of the classes",
            )


def _roles(model: Model) -> Iterator[Fault]:
    seen: dict[str, Role] = {}
    for role in model.design.roles:
        first = seen.setdefault(" ".join(words(role.name)), role)
        if first is not role:
            yield Fault(
                role,
                f'its policy has the same id as that of the role "{first.name}", which differs in '
                "delimiters and case at most",
                "Give one of them another name",
            )
