"""A design: everything that a module or package says about its data, in one value."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from sortkey.design.collection import Collection
from sortkey.design.entity import Entity
from sortkey.design.findings import Finding
from sortkey.design.invariant import Invariant
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern
from sortkey.design.roles import About, Role
from sortkey.design.table import Table


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Design:
    """The tables, entities, collections, patterns, invariants and roles of an application."""

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

    @property
    def kinds(self) -> Iterator[EntityKind[Any]]:
        """Every entity, compiled, table by table."""
        for table in self.tables:
            yield from self.kinds_of(table)

    def kinds_of(self, table: type[Table]) -> Iterator[EntityKind[Any]]:
        """Every entity of one table, compiled."""
        return (entity.__kind__ for entity in self.entities[table])

    def prefix_in(self, environment: str) -> str:
        """What the names of everything that is deployed, apart from tables, begin with."""
        standard = self.about.standard
        if standard is not None and standard.project is not None:
            return standard.project_in(environment)
        return f"{self.name}-{environment}"

    def pattern(self, name: str) -> Pattern[..., Any]:
        """The pattern of this name; a KeyError where there is none."""
        return {pattern.name: pattern for pattern in self.patterns}[name]


def design_of(name: str, modules: Iterable[ModuleType]) -> Design:
    """The design that these modules define or import, in the order in which they do."""
    return _Gathering(modules).design(name)


class _Gathering:
    """What modules hold, and what that leads to; each thing once, the first place counts."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._tables: dict[type[Table], None] = {}
        self._collections: dict[type[Collection], None] = {}
        self._patterns: dict[int, Pattern[..., Any]] = {}
        self._invariants: dict[int, Invariant[...]] = {}
        self._roles: dict[int, Role] = {}
        self._abouts: dict[About, None] = {}
        self._modules = tuple(modules)
        for module in self._modules:
            for item in list(vars(module).values()):
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
            self._roles[id(item)] = item
            for pattern in item.patterns:
                self._take_pattern(pattern)
        elif isinstance(item, About):
            self._abouts[item] = None

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
        """Everything together, with what can be seen only so."""
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
            entities={
                table: tuple(kind.model for kind in table.definition.entities) for table in tables
            },
            collections=tuple(self._collections),
            patterns=patterns,
            roles=tuple(self._roles.values()),
            # A table that is not loaded anew keeps what earlier loads found.
            findings=tuple(dict.fromkeys(findings)),
            modules=self._modules,
            invariants=tuple(self._invariants.values()),
        )

    def _two_abouts(self) -> Iterator[Finding]:
        if len(self._abouts) > 1:
            yield Finding(
                "SK602",
                "two-abouts",
                "The design",
                f"it declares {len(self._abouts)} values of About, and only the first counts",
                "Keep one",
            )


def _shared_names(patterns: Iterable[Pattern[..., Any]]) -> Iterator[Finding]:
    seen: dict[str, Pattern[..., Any]] = {}
    for pattern in patterns:
        first = seen.setdefault(pattern.name, pattern)
        if first is not pattern:
            yield Finding(
                "SK404",
                "shared-pattern-name",
                pattern.name,
                f'two patterns have this name: "{first.title}" and "{pattern.title}"',
                "Rename one of the functions: cursors, roles and plans go by it",
            )
