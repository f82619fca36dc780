"""Mutants: the modules of the systems, each with one fault in it."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path

from tests.mutation.names import Names, called, names_in
from tests.mutation.operators import OPERATORS
from tests.mutation.source import Edit, Source

SYSTEMS = ("oneonone", "commitcollect", "agentcore", "shuttle", "gymcoach")
# The folder of the distribution, and the package in it, within a checkout or a copy.
DISTRIBUTION = Path("systems")
PACKAGE = DISTRIBUTION / "sortkey_systems"

# What is said of a design, and not what it does: a fault there would be one in the measure.
_DECLARED = {"expected", "relations", "ignore", "rate", "stored", "name", "removal"}
_MEANINGS = {"pattern", "Pattern"}
# Pictures.
_DRAWN = ("charting.py", "scales.py")
# Doors, made-up data, fakes, messages and pictures.
_APART = (
    *("api*.py", "gateway.py", "generator.py", "fake_*.py", "errors.py", "__main__.py", "mail.py"),
    *_DRAWN,
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: where, by which operator, and the text of the module that has it."""

    system: str
    file: str
    line: int
    end_line: int
    operator: str
    definition: str
    before: str
    after: str
    number: int
    original: str
    text: str

    @property
    def name(self) -> str:
        """What tells it from all others, and stays as long as the code around it does."""
        said = "\0".join((self.definition, self.before, self.after, str(self.number)))
        return f"{self.file}:{self.operator}:{sha256(said.encode()).hexdigest()[:8]}"

    @property
    def module(self) -> str:
        """The name of the mutated module."""
        path = Path(self.file).relative_to(DISTRIBUTION).with_suffix("")
        return ".".join(path.parent.parts if path.name == "__init__" else path.parts)

    @property
    def is_of_design(self) -> bool:
        """Whether the design itself is changed, rather than what is built on it."""
        return "design" in Path(self.file).with_suffix("").parts

    @property
    def diff(self) -> str:
        """The lines that differ."""
        lines = unified_diff(
            self.original.splitlines(), self.text.splitlines(), self.file, "", "", "", 0, ""
        )
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def mutants_of(system: str, root: Path) -> Iterator[Mutant]:
    """Every mutant of a system, in the order of its files."""
    folder = root / PACKAGE / system
    paths = [path for path in sorted(folder.rglob("*.py")) if not _is_apart(path)]
    sources = {path: Source(path.read_text()) for path in paths}
    names = names_in(source.tree for source in sources.values())
    for path, source in sources.items():
        file = str(path.relative_to(root))
        counted: Counter[tuple[str, ...]] = Counter()
        for operator, definition, edit in _faults(source, names):
            told = (operator, definition, source.before(edit), edit.text)
            counted[told] += 1
            first = source.line(edit)
            yield Mutant(
                system=system,
                file=file,
                line=first,
                end_line=first + told[2].count("\n"),
                operator=operator,
                definition=definition,
                before=told[2],
                after=edit.text,
                number=counted[told],
                original=source.text,
                text=source.edited(edit),
            )


def mutants_in(text: str) -> Iterator[str]:
    """A module's text with each of its faults."""
    source = Source(text)
    for _, _, edit in _faults(source, names_in([source.tree])):
        yield source.edited(edit)


def _faults(source: Source, names: Names) -> Iterator[tuple[str, str, Edit]]:
    """Each fault once: its operator, the definition around it, and the edit that plants it."""
    seen = {source.text}
    for node, definition in _mutable(source.tree, ""):
        for operator, plant in OPERATORS.items():
            for edit in plant(node, source, names):
                text = source.edited(edit)
                if text not in seen and _parses(text):
                    seen.add(text)
                    yield operator, definition, edit


def _is_apart(path: Path) -> bool:
    return any(path.match(pattern) for pattern in _APART)


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _mutable(node: ast.AST, definition: str) -> Iterator[tuple[ast.AST, str]]:
    """Every node that may have a fault, with the name of the definition at the top around it."""
    yield node, definition
    for child in ast.iter_child_nodes(node):
        if _is_left(child, node):
            continue
        named = definition or _defined(child)
        yield from _mutable(child, named)


def _defined(node: ast.AST) -> str:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case _:
            return ""


def _is_left(node: ast.AST, parent: ast.AST) -> bool:
    """Whether nothing in a node is mutated: meanings, declared facts, types of arguments."""
    match parent:
        case ast.FunctionDef(decorator_list=decorators, returns=returns):
            if node in decorators or node is returns:
                return True
        case ast.ClassDef(decorator_list=decorators):
            if node in decorators:
                return True
        case ast.arg():
            return True
        case ast.Raise():
            return True
        case _:
            pass
    match node:
        case ast.keyword(arg=name) if name in _DECLARED:
            return True
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef(name="strategies"):
            return True
        case _:
            return called(node) in {*_MEANINGS, "About", "Expected", "TypeVar", "ParamSpec"}
