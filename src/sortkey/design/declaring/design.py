"""A design: everything that a module or package declares about its data, as one value."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from sortkey.design.declaring.collection import Collection
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.functions import Function, OnChange
from sortkey.design.declaring.invariant import Invariant
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.declaring.roles import About, Role
from sortkey.design.findings import Finding
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Design:
    """Everything that an application declares: tables, entities, patterns, roles, functions."""

    name: str
    about: About
    tables: tuple[type[Table], ...]
    entities: Mapping[type[Table], tuple[type[Entity], ...]]
    collections: tuple[type[Collection], ...]
    patterns: tuple[Pattern[..., Any], ...]
    roles: tuple[Role, ...]
    findings: tuple[Finding, ...]
    modules: tuple[ModuleType, ...] = ()
    invariants: tuple[Invariant[...], ...] = ()
    functions: tuple[Function, ...] = ()

    @property
    def kinds(self) -> Iterator[EntityKind[Any]]:
        """Every entity, compiled, table by table."""
        for table in self.tables:
            yield from self.kinds_of(table)

    def kinds_of(self, table: type[Table]) -> Iterator[EntityKind[Any]]:
        """Every entity of one table, compiled."""
        return (entity.__kind__ for entity in self.entities[table])

    def prefix_in(self, environment: str) -> str:
        """Return the prefix of the names of everything that is deployed, except tables.

        It has the design's name and the environment, and begins with the project of the standard.
        """
        own = f"{self.name}-{environment}"
        standard = self.about.standard
        if standard is None or standard.project is None:
            return own
        project = standard.project_in(environment)
        if project == own:
            return own
        return f"{project}-{self.name if '{environment}' in standard.project else own}"

    def pattern(self, name: str) -> Pattern[..., Any]:
        """Return the pattern with this name; raise KeyError if there is none."""
        return {pattern.name: pattern for pattern in self.patterns}[name]


def design_of(name: str, modules: Iterable[ModuleType]) -> Design:
    """Return the design that these modules define or import, in the order of definition."""
    return _Gathering(modules).design(name)


class _Gathering:
    """Everything that modules declare and refer to, each once, in the order of first appearance."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._tables: dict[type[Table], None] = {}
        self._collections: dict[type[Collection], None] = {}
        self._patterns: dict[int, Pattern[..., Any]] = {}
        self._invariants: dict[int, Invariant[...]] = {}
        self._roles: dict[int, Role] = {}
        self._functions: dict[int, Function] = {}
        self._abouts: dict[About, None] = {}
        self._modules = tuple(modules)
        self._names = {module.__name__ for module in self._modules}
        held = [(module, item) for module in self._modules for item in vars(module).values()]
        for _, item in sorted(held, key=lambda each: self._rank(*each)):
            self._take(item)

    def _take(self, item: object) -> None:
        if isinstance(item, type):
            self._take_class(item)
        elif isinstance(item, Pattern):
            self._take_pattern(item)  # pyright: ignore[reportUnknownArgumentType]  # of any arguments
        elif isinstance(item, Invariant):
            self._invariants[id(item)] = item  # pyright: ignore[reportUnknownArgumentType]  # of any arguments
            for entity in item.entities:
                self._take_table_of(entity.__kind__)
        elif isinstance(item, Role):
            self._take_role(item)
        elif isinstance(item, Function):
            self._functions[id(item)] = item
            self._take_role(item.role)
            self._tables |= dict.fromkeys(
                trigger.table for trigger in item.triggers if isinstance(trigger, OnChange)
            )
        elif isinstance(item, About):
            self._abouts[item] = None

    def _take_role(self, item: Role) -> None:
        self._roles[id(item)] = item
        for pattern in item.patterns:
            self._take_pattern(pattern)
        self._tables |= dict.fromkeys(item.follows)
        if item.leases is not None:
            self._take_table_of(item.leases.__kind__)

    def _take_pattern(self, item: Pattern[..., Any]) -> None:
        self._patterns[id(item)] = item
        self._tables |= dict.fromkeys(item.tables)

    def _take_class(self, item: type) -> None:
        if issubclass(item, Table) and item is not Table:
            self._tables[item] = None
        elif issubclass(item, Entity) and "__kind__" in vars(item):
            self._take_table_of(item.__kind__)
        elif issubclass(item, Collection) and item is not Collection:
            self._collections[item] = None
            for member in item.__collection__.members:
                self._take_table_of(member.kind)

    def _take_table_of(self, kind: EntityKind[Any]) -> None:
        table = kind.primary.definition.table
        if table is not None:
            self._tables[table] = None

    def design(self, name: str) -> Design:
        """Return the design, with the findings that concern it as a whole."""
        about = next(iter(self._abouts), About())
        patterns = tuple(self._patterns.values())
        tables = tuple(self._tables)
        findings = [finding for table in tables for finding in table.definition.findings]
        findings += self._two_abouts()
        findings += _shared_names(patterns)
        return Design(
            name=about.name or name,
            about=about,
            tables=tables,
            entities={table: self._entities_of(table) for table in tables},
            collections=tuple(self._collections),
            patterns=patterns,
            roles=tuple(self._roles.values()),
            # A table that is not loaded again keeps the findings of earlier loads.
            findings=tuple(dict.fromkeys(findings)),
            modules=self._modules,
            invariants=tuple(self._invariants.values()),
            functions=tuple(self._functions.values()),
        )

    def _rank(self, module: ModuleType, item: object) -> tuple[bool, bool]:
        """Rank tables before the rest, and definitions before imports from the other modules."""
        home = getattr(getattr(item, "function", item), "__module__", None)
        is_table = isinstance(item, type) and issubclass(item, Table)
        return not is_table, home in self._names - {module.__name__}

    def _entities_of(self, table: type[Table]) -> tuple[type[Entity], ...]:
        """Return a table's entities by module, whichever of the modules was imported first."""
        places = {module.__name__: place for place, module in enumerate(self._modules)}
        entities = [kind.model for kind in table.definition.entities]
        return tuple(sorted(entities, key=lambda e: places.get(e.__module__, len(places))))

    def _two_abouts(self) -> Iterator[Finding]:
        if len(self._abouts) > 1:
            yield Finding(
                "The design",
                f"it declares {len(self._abouts)} values of About, but only the first takes effect",
                "Keep one",
                code="SK602",
                name="two-abouts",
            )


def _shared_names(patterns: Iterable[Pattern[..., Any]]) -> Iterator[Finding]:
    seen: dict[str, Pattern[..., Any]] = {}
    for pattern in patterns:
        first = seen.setdefault(pattern.name, pattern)
        if first is not pattern:
            yield Finding(
                pattern.name,
                f'two patterns have this name: "{first.title}" and "{pattern.title}"',
                "Rename one of the functions: cursors, roles and plans refer to a pattern by its "
                "name",
                code="SK404",
                name="shared-pattern-name",
            )
