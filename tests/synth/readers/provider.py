"""The schema of Terraform's AWS provider, as CDK Terrain's package for it declares it.

The package has declarations in TypeScript for each resource, made from the provider's own schema:
every argument and block under its name, with its type, and whether it may be left out.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

# Terraform's own, of any resource.
_META = {"lifecycle", "provider", "count", "for_each", "depends_on"}
_INTERFACE = re.compile(
    r"^export interface (\w+)( extends \S+)? \{\n(.*?)^\}", re.DOTALL | re.MULTILINE
)
# The link to an argument's documentation has its name as Terraform spells it.
_MEMBER = re.compile(
    r"#(\w+) \w+#\w+\}[^/]*?\*/\n    readonly \w+(\??): (\{.*?\}|[^{;]+);", re.DOTALL
)
_CLASS = re.compile(
    r"^export declare class \w+ extends cdktn\.Terraform(?:Resource|DataSource) \{\n(.*?)^\}",
    re.DOTALL | re.MULTILINE,
)
_GETTER = re.compile(r"^    get (\w+)\(\)", re.MULTILINE)
_EXPRESSION = re.compile(r"\$\{[^}]*\}")


@dataclass(frozen=True)
class Argument:
    """An argument, and its type as TypeScript spells it."""

    type: str
    required: bool


@dataclass(frozen=True)
class Block:
    """A block within a resource or another block."""

    schema: "Schema"
    required: bool
    repeated: bool


@dataclass(frozen=True)
class Schema:
    """The arguments and blocks of a resource or block, and what can be asked of a resource."""

    members: Mapping[str, Argument | Block]
    attributes: frozenset[str] = field(default_factory=frozenset[str])


def version(package: Path) -> str:
    """The version of the provider that the package was made from."""
    about = json.loads((package / "package.json").read_text())
    return str(about["cdktn"]["provider"]["version"])


@cache
def schema_of(package: Path, kind: str) -> Schema:
    """The schema of a resource, as ``aws_dynamodb_table``, or of ``data.aws_...``."""
    folder = kind.replace("data.", "data_").removeprefix("aws_").replace("_", "-")
    text = (package / f"lib/{folder}/index.d.ts").read_text()
    declared = {name: body for name, _, body in _INTERFACE.findall(text)}
    [resource] = [name for name, extends, _ in _INTERFACE.findall(text) if extends]
    [readable] = _CLASS.findall(text)
    return Schema(_members(resource, declared), frozenset(_GETTER.findall(readable)))


def _members(interface: str, declared: Mapping[str, str]) -> dict[str, Argument | Block]:
    return {
        name: _member(kind.removesuffix(" | cdktn.IResolvable"), mark != "?", declared)
        for name, mark, kind in _MEMBER.findall(declared[interface])
    }


def _member(kind: str, required: bool, declared: Mapping[str, str]) -> Argument | Block:
    inner = kind.removesuffix("[]")
    if inner in declared:
        return Block(Schema(_members(inner, declared)), required, repeated=inner != kind)
    return Argument(kind, required)


def faults(schema: Schema, body: Mapping[str, Any], where: str) -> Iterator[str]:
    """Yield the faults that the provider would find in a parsed resource."""
    yield from _faults(schema, {n: v for n, v in body.items() if n not in _META}, where)


def _faults(schema: Schema, body: Mapping[str, Any], where: str) -> Iterator[str]:
    for name, member in schema.members.items():
        if member.required and name not in body:
            yield f"{where}.{name} is missing"
    for name, value in body.items():
        match schema.members.get(name):
            case None:
                yield f"{where}.{name} is unknown"
            case Block() as block:
                yield from _faults_of_block(block, value, f"{where}.{name}")
            case Argument(kind):
                if not _fits(kind, value):
                    yield f"{where}.{name} is no {kind}"


def _faults_of_block(block: Block, value: Any, where: str) -> Iterator[str]:
    # The parser gives a list of each block, even of one that stands only once.
    if not isinstance(value, list):
        yield f"{where} is a block"
        return
    bodies = cast("list[Mapping[str, Any]]", value)
    if len(bodies) > 1 and not block.repeated:
        yield f"{where} is there twice"
    for body in bodies:
        yield from _faults(block.schema, body, where)


def _fits(kind: str, value: Any) -> bool:
    if isinstance(value, str) and _EXPRESSION.fullmatch(value):
        return True
    if kind.endswith("[]"):
        items = cast("list[Any]", value)
        return isinstance(value, list) and all(_fits(kind.removesuffix("[]"), i) for i in items)
    match kind:
        case "string":
            return isinstance(value, str)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case _:
            assert re.fullmatch(r"\{\s*\[key: string\]: string;\s*\}", kind), kind
            members = cast("dict[str, Any]", value)
            return isinstance(value, dict) and all(_fits("string", v) for v in members.values())
