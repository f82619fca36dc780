"""Where in its files something of a design is declared."""

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from sortkey.check.model import Model, Subject
from sortkey.design.keys import EntityKey
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern
from sortkey.design.table import Index
from sortkey.design.unbuilt import UnbuiltEntity


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    @property
    def shown(self) -> str:
        """The shortest path from here."""
        path = Path(self.file)
        here = Path.cwd()
        return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()

    def __str__(self) -> str:
        return f"{self.shown}:{self.line}"


class Places:
    """Finds the lines of what a design declares."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[str, Mapping[str, int]] = {}

    def of(self, subject: Subject, at: str = "") -> Place | None:
        """The line of something, or of the member of it that a path begins with."""
        match subject:
            case Pattern():
                return None if subject.source is None else Place(*subject.source)
            case EntityKind() | UnbuiltEntity():
                return self._in_class(subject.model, at)
            case EntityKey():
                owner, _, name = subject.name.rpartition(".")
                kinds = [kind for kind in self._model.kinds if kind.model.__name__ == owner]
                return self._in_class(kinds[0].model, name) if kinds else None
            case Index():
                return None if subject.table is None else self._of_index(subject.table, subject)
            case type():
                return self._in_class(subject, at)
            case _:
                return self._of_value(subject)

    def _of_index(self, table: type, index: Index) -> Place | None:
        names = [name for name, value in vars(table).items() if value is index]
        return self._in_class(table, names[0] if names else "")

    def _in_class(self, owner: type, at: str) -> Place | None:
        file = _file_of(sys.modules.get(owner.__module__))
        if file is None:
            return None
        member = at.partition(".")[0]
        for base in owner.__mro__:
            line = self._lines(file).get(f"{base.__qualname__}.{member}")
            if line is not None and base.__module__ == owner.__module__:
                return Place(file, line)
        line = self._lines(file).get(owner.__qualname__)
        return None if line is None else Place(file, line)

    def _of_value(self, value: object) -> Place | None:
        """Where a module's variable is given this value."""
        for module in self._model.design.modules:
            file = _file_of(module)
            for name, held in vars(module).items():
                line = self._lines(file).get(name) if held is value and file else None
                if file is not None and line is not None:
                    return Place(file, line)
        return None

    def _lines(self, file: str) -> Mapping[str, int]:
        """The line of each class, member and variable of a file, by its qualified name."""
        if file not in self._known:
            try:
                tree = ast.parse(Path(file).read_text())
            except (OSError, SyntaxError, UnicodeDecodeError):
                tree = ast.Module([], [])
            self._known[file] = dict(_declared(tree.body, ""))
        return self._known[file]


def _file_of(module: ModuleType | None) -> str | None:
    return getattr(module, "__file__", None)


def _declared(body: list[ast.stmt], within: str) -> Iterator[tuple[str, int]]:
    for statement in body:
        match statement:
            case ast.ClassDef(name=name, body=members):
                yield f"{within}{name}", statement.lineno
                yield from _declared(members, f"{within}{name}.")
            case ast.FunctionDef(name=name):
                yield f"{within}{name}", statement.lineno
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield f"{within}{name}", statement.lineno
            case _:
                pass
