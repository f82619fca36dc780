"""The source lines of a design's declarations."""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from sortkey.check.model import Model
from sortkey.check.samples.matching import Matched, Unmatched
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.findings import SourceLine, Subject
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.unbuilt import UnbuiltEntity
from sortkey.design.tables.table import Index


class SourceLines:
    """Finds the lines of what a design declares."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[str, Mapping[str, int]] = {}

    def of(self, subject: Subject, at: str = "") -> SourceLine | None:
        """The line of something, or of the member of it that a path begins with."""
        match subject:
            case Pattern():
                return None if subject.source is None else SourceLine(*subject.source)
            case EntityKind() | UnbuiltEntity():
                return self._in_class(subject.model, at)
            case EntityKey():
                owner, _, name = subject.name.rpartition(".")
                kinds = [kind for kind in self._model.kinds if kind.model.__name__ == owner]
                return self._in_class(kinds[0].model, name) if kinds else None
            case Index():
                return None if subject.table is None else self._of_index(subject.table, subject)
            case Matched() | Unmatched():
                sample = subject.sample
                return None if sample.file is None else SourceLine(sample.file, sample.line)
            case type():
                return self._in_class(subject, at)
            case _:
                return self._of_value(subject)

    def _of_index(self, table: type, index: Index) -> SourceLine | None:
        names = [name for name, value in vars(table).items() if value is index]
        return self._in_class(table, names[0] if names else "")

    def _in_class(self, owner: type, at: str) -> SourceLine | None:
        file = _file_of(sys.modules.get(owner.__module__))
        if file is None:
            return None
        member = at.partition(".")[0]
        for base in owner.__mro__:
            line = self._lines(file).get(f"{base.__qualname__}.{member}")
            if line is not None and base.__module__ == owner.__module__:
                return SourceLine(file, line)
        line = self._lines(file).get(owner.__qualname__)
        return None if line is None else SourceLine(file, line)

    def _of_value(self, value: object) -> SourceLine | None:
        """Return the line where a module's variable gets this value."""
        for module in self._model.design.modules:
            file = _file_of(module)
            for name, held in vars(module).items():
                line = self._lines(file).get(name) if held is value and file else None
                if file is not None and line is not None:
                    return SourceLine(file, line)
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
