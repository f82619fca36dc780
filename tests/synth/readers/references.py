"""The references in a parsed folder of Terraform."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.synth.readers.provider import Schema

_RESOURCE = re.compile(r"(?<![\w.\"-])((?:data\.)?aws_\w+)\.(\w+)\.(\w+)")
_VARIABLE = re.compile(r"(?<![\w.])var\.(\w+)")
_EXPRESSION = re.compile(r"(?<!\$)\$\{.*", re.DOTALL)

Parsed = Mapping[str, Any]


def resources(files: Iterable[Parsed]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Each resource with its kind and its name; what is only read is a ``data.aws_...``."""
    for parsed in files:
        for section, prefix in (("resource", ""), ("data", "data.")):
            for kind, named in parsed.get(section, {}).items():
                for name, bodies in named.items():
                    yield from ((f"{prefix}{kind}", name, body) for body in bodies)


def dangling(files: Iterable[Parsed], schemas: Mapping[str, Schema]) -> list[str]:
    """The references to what no file declares, or to what a resource cannot be asked for."""
    read = list(files)
    declared = {(kind, name) for kind, name, _ in resources(read)}
    variables = {name for parsed in read for name in parsed.get("variable", {})}
    texts = [found for parsed in read for found in _expressions(parsed)]
    asked = {found for text in texts for found in _RESOURCE.findall(text)}
    return sorted(
        [
            *(f"var.{v}" for text in texts for v in _VARIABLE.findall(text) if v not in variables),
            *(
                f"{kind}.{name}.{attribute}"
                for kind, name, attribute in asked
                if (kind, name) not in declared or _camel(attribute) not in schemas[kind].attributes
            ),
        ]
    )


def _expressions(value: Any) -> Iterator[str]:
    for text in re.findall(r'"(?:[^"\\]|\\.)*"', json.dumps(value)):
        yield from _EXPRESSION.findall(json.loads(text))


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))
