"""Evaluate ``where=`` on an example: a record, and the arguments that produce its keys."""

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError

from sortkey.check.model import AnyKind
from sortkey.design.declaring.pattern import Parameter, Pattern
from sortkey.design.plans.drawing import Drawing, Undrawable
from sortkey.design.raw.key_texts import KeyText, TextArgument, aligned
from sortkey.design.raw.values import with_now, written
from sortkey.design.records.keys.entity_key import KeyPart
from sortkey.design.records.keys.slots import Slot

_ATTEMPTS = 12


@dataclass(frozen=True)
class DrawnRecord:
    """A record of an entity, drawn, and a pattern that may return it."""

    pattern: Pattern[..., Any]
    kind: AnyKind

    @cached_property
    def record(self) -> Any:
        """A record that can be stored; None where none was found."""
        model = self.kind.model
        parameter = Parameter("record", model, required=True, keyword_only=False)
        drawing = Drawing([parameter], {model.__name__: model}.get)
        with suppress(Undrawable):
            for _ in range(_ATTEMPTS):
                drawn = drawing.draw()
                record = drawn.values["record"]
                try:
                    self.kind.encode(record)
                except Exception as error:  # noqa: BLE001 - what a model's own code raises
                    if not drawing.learn(error, drawn):
                        return None
                else:
                    return record
        return None

    def is_meant(self, texts: Sequence[tuple[KeyPart, KeyText]], *, begins: bool) -> bool | None:
        """Return whether the record is meant by the arguments that make its keys from these texts.

        With ``begins`` a text may be only the beginning of a key. None if the pattern has no
        ``where=``, or it cannot be evaluated.
        """
        where: Any = self.pattern.where
        if where is None or self.record is None:
            return None
        try:
            given = {**self._drawn, **self.record.__dict__}
            for part, text in texts:
                given |= dict(self._read(part, text, begins=begins))
            names = list(inspect.signature(where).parameters)[1:]
            return bool(where(self.record, **{name: given[name] for name in names}))
        except Exception:  # noqa: BLE001 - whatever a design's own function raises
            return None

    def draws(self, part: KeyPart, text: KeyText) -> bool:
        """Return whether the types of the arguments alone make a text a key of the entity."""
        pieces = [
            p if isinstance(p, str) else written(self._drawn[p.name], p.spec) for p in text.pieces
        ]
        return part.parse("".join(pieces)) is not None

    @cached_property
    def _drawn(self) -> Mapping[str, Any]:
        return with_now(Drawing(self.pattern.parameters).draw().values)

    def _read(self, part: KeyPart, text: KeyText, *, begins: bool) -> Iterator[tuple[str, Any]]:
        """Yield the arguments with which a text is the record's own key, or begins it."""
        values = self.record.__dict__
        slots = aligned(text, part)
        if slots is not None and (begins or len(text.pieces) == len(part.template.parts)):
            for given, slot in slots:
                yield given.name, self._typed(given, values[slot.field], slot)
            return
        pattern = "".join(re.escape(p) if isinstance(p, str) else "(.+)" for p in text.pieces)
        found = re.fullmatch(pattern, part.template.build(values), re.DOTALL)
        for given, value in zip(text.arguments, found.groups() if found else (), strict=False):
            yield given.name, self._typed(given, value)

    def _typed(self, given: TextArgument, value: Any, slot: Slot | None = None) -> Any:
        """Return a value as an argument has it: as it is, or as the text that it is in a key."""
        [kind] = [p.type for p in self.pattern.parameters if p.name == given.name]
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        try:
            return adapter.validate_python(value, strict=True)
        except ValidationError:
            return adapter.validate_python(value if slot is None else slot.write(value))
