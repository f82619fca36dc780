"""Entities of a raw design whose primary key cannot be written: declared, shown, never stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from sortkey.design.acknowledging import Ignored
from sortkey.design.findings import Finding
from sortkey.design.tables.expectations import Expected, Relation
from sortkey.design.tables.table import Key


@dataclass(frozen=True, slots=True)
class UnbuiltEntity:
    """The declaration of an entity, and why it could not be compiled."""

    model: type[BaseModel]
    name: str
    keys: Mapping[str, Key]
    findings: tuple[Finding, ...]
    expected: Expected | None = None
    relations: tuple[Relation, ...] = ()
    ignore: Ignored = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        return self.model.__name__
