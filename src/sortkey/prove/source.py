"""Values as Python source; a record shows only the fields that differ from their defaults."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from sortkey.design.records.marks import UPDATED, VERSION, marks_of
from sortkey.prove.values import NOW


class Source:
    """Writes values as Python source; ``names`` returns the name to use for a class.

    A ``known`` record is written as its number, such as #1.
    """

    def __init__(
        self,
        names: Callable[[type], str] = lambda kind: kind.__name__,
        known: Sequence[BaseModel] = (),
    ) -> None:
        self._names = names
        self._known = known
        self.imports: dict[str, set[str]] = {}

    def of(self, value: Any) -> str:
        """Return the source of a value; for an exception, its type and message."""
        match value:
            case None | bool() | bytes():
                return repr(value)
            case Enum():
                return f"{self._names(type(value))}.{value.name}"
            case str():
                return json.dumps(value, ensure_ascii=False)
            case int() | float():
                return repr(value)
            case BaseModel() if value in self._known:
                return f"#{self._known.index(value) + 1}"
            case BaseModel():
                return self.call(self._names(type(value)), _fields_to_write(value))
            case Exception():
                return f"{type(value).__name__}: {value}"
            case _:
                return self._standard(value)

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Return the source of a call with these keyword arguments."""
        return f"{name}({', '.join(f'{n}={self.of(v)}' for n, v in arguments.items())})"

    def _standard(self, value: Any) -> str:
        match value:
            case datetime():
                return self._time(value)
            case date():
                self._use("datetime", "date")
                return f"date({value.year}, {value.month}, {value.day})"
            case timedelta():
                self._use("datetime", "timedelta")
                return f"timedelta(seconds={value.total_seconds()!r})"
            case Decimal():
                self._use("decimal", "Decimal")
                return f'Decimal("{value}")'
            case UUID():
                self._use("uuid", "UUID")
                return f'UUID("{value}")'
            case Mapping():
                entries = cast("Mapping[Any, Any]", value).items()
                return f"{{{', '.join(f'{self.of(k)}: {self.of(v)}' for k, v in entries)}}}"
            case list():
                return f"[{self._listed(cast('list[Any]', value))}]"
            case tuple():
                return f"({self._listed(cast('tuple[Any, ...]', value))},)"
            case set() | frozenset():
                members = sorted(cast("set[Any]", value), key=repr)
                kind = "set" if isinstance(value, set) else "frozenset"
                return f"{kind}([{self._listed(members)}])"
            case _:
                return repr(value)

    def _time(self, value: datetime) -> str:
        self._use("datetime", "datetime")
        if value.tzinfo is not UTC:
            return f'datetime.fromisoformat("{value.isoformat()}")'
        self._use("datetime", "UTC")
        parts = [value.year, value.month, value.day, value.hour, value.minute, value.second]
        parts = [*parts, value.microsecond] if value.microsecond else parts
        while len(parts) > 4 and not parts[-1]:  # noqa: PLR2004 - a day and an hour are enough
            parts.pop()
        return f"datetime({', '.join(map(str, parts))}, tzinfo=UTC)"

    def _listed(self, values: Iterable[Any]) -> str:
        return ", ".join(map(self.of, values))

    def _use(self, module: str, name: str) -> None:
        self.imports.setdefault(module, set()).add(name)


def _fields_to_write(record: BaseModel) -> dict[str, Any]:
    """Return the fields that differ from their default and are not set by sortkey."""
    return {
        name: getattr(record, name)
        for name, info in type(record).model_fields.items()
        if VERSION not in marks_of(info)
        and not (UPDATED in marks_of(info) and getattr(record, name) == NOW)
        and (info.default is PydanticUndefined or getattr(record, name) != info.default)
    }
