"""Entities of a raw design whose primary key cannot be written: declared, shown, never stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from sortkey.design.expectations import Expected, Relation
from sortkey.design.findings import Finding
from sortkey.design.ignoring import Ignored
from sortkey.design.table import Key


@dataclass(frozen=True, slots=True)
class UnbuiltEntity:
    """What was declared of an entity, and why nothing could be made of it."""

    model: type[BaseModel]
    name: str
    keys: Mapping[str, Key]
    findings: tuple[Finding, ...]
    expected: Expected | None = None
    relations: tuple[Relation, ...] = ()
    ignore: Ignored = field(default_factory=dict[str, str])
