"""The schema of Terraform's AWS provider, as CDK Terrain's package for it carries it.

The package has a class for each resource; what each writes as HCL names every argument and block.
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
_FUNCTION = re.compile(
    r"^(?:function (\w+)ToHclTerraform\(struct\)|    synthesizeHclAttributes\(\))"
    r".*?const attrs = \{\n(.*?)\n    (?:    )?\};",
    re.DOTALL | re.MULTILINE,
)
_ARGUMENT = re.compile(
    r"^ +(\w+): \{\n +value: (.*?),\n +isBlock: (true|false),", re.DOTALL | re.MULTILINE
)
# The function that writes a block; those of the library itself write plain values.
_MAKER = re.compile(r"(?<![\w.])(\w+)ToHclTerraform")


@dataclass(frozen=True)
class Schema:
    """The arguments of a resource or block, and the blocks within it."""

    arguments: frozenset[str]
    blocks: Mapping[str, "Schema"] = field(default_factory=dict[str, "Schema"])


def version(package: Path) -> str:
    """The version of the provider that the package was made from."""
    about = json.loads((package / "package.json").read_text())
    return str(about["cdktn"]["provider"]["version"])


@cache
def schema_of(package: Path, kind: str) -> Schema:
    """The schema of a resource, as ``aws_dynamodb_table``, or of ``data.aws_...``."""
    folder = kind.replace("data.", "data_").removeprefix("aws_").replace("_", "-")
    text = (package / f"lib/{folder}/index.js").read_text()
    declared = {name or "": body for name, body in _FUNCTION.findall(text)}
    return _schema("", declared)


def _schema(name: str, declared: Mapping[str, str]) -> Schema:
    arguments: set[str] = set()
    blocks: dict[str, Schema] = {}
    for argument, value, is_block in _ARGUMENT.findall(declared[name]):
        maker = _MAKER.search(value)
        if is_block == "true" and maker is not None:
            blocks[argument] = _schema(maker[1], declared)
        else:
            arguments.add(argument)
    return Schema(frozenset(arguments), blocks)


def strangers(schema: Schema, body: Mapping[str, Any], where: str) -> Iterator[str]:
    """The arguments and blocks of a body that the schema does not know."""
    for name, value in body.items():
        if name in _META:
            continue
        if name in schema.blocks:
            for inner in cast("list[Mapping[str, Any]]", value):
                yield from strangers(schema.blocks[name], inner, f"{where}.{name}")
        elif name not in schema.arguments:
            yield f"{where}.{name}"
