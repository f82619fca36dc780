"""Evolution: records that were stored in an earlier shape are read as they would be stored now.

Upcasting works on the stored item, before it is validated, so an entity does not know its earlier
shapes.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from sortkey.design.records.codecs import Unstorable
from sortkey.design.records.codecs.dynamic import decode_any, encode_any
from sortkey.errors import Unreadable
from sortkey.expressions.tree import Value
from sortkey.wire.values import AttributeValue, Item, same_value

# An item with plain Python values, by the names of its attributes.
StoredItem: TypeAlias = dict[str, Any]
Upcast: TypeAlias = Callable[[StoredItem], StoredItem]


class Evolution:
    """The upcasts of an entity's items from each shape to the next; the first shape is 1."""

    def __init__(
        self,
        entity: str,
        attribute: str,
        key_names: tuple[str, ...],
        upcasts: tuple[Upcast, ...],
        *,
        has_secrets: bool = False,
    ) -> None:
        self.attribute = attribute
        self.shape = 1 + len(upcasts)
        # The stored attribute of the current shape; the first shape has none.
        self.mark: AttributeValue | None = {"N": str(self.shape)} if upcasts else None
        self._entity = entity
        self._key_names = key_names
        self._upcasts = upcasts
        self._has_secrets = has_secrets

    def is_current(self, item: Item) -> bool:
        """Whether the item is in the current shape."""
        return item.get(self.attribute) == self.mark

    def seen(self, item: Item, *, whole: bool) -> Item:
        """Return the item in the current shape, if it was read as a whole or needs no change."""
        if self.is_current(item):
            return item
        if not whole and self.shape > 1:
            raise self._unreadable(
                item, "it is in another shape, and this read has too few attributes to upcast it"
            )
        return self.current(item)

    def current(self, item: Item) -> Item:
        """Return the item in the current shape."""
        shape = self._shape_of(item)
        if shape > self.shape:
            raise self._unreadable(
                item,
                f"it is in shape {shape}, but this program knows {self._entity} only up to shape "
                f"{self.shape}: the program is older than the record",
            )
        plain = {name: decode_any(value) for name, value in item.items()}
        for number, upcast in enumerate(self._upcasts[shape - 1 :], shape):
            plain = self._upcast(item, plain, number, upcast)
        return self._encoded(item, plain)

    def refuse_moved(self, item: Item, keys: tuple[Mapping[str, Value], ...]) -> None:
        """Reject an item whose primary key upcasting has changed to another than these."""
        for key in keys:
            if all(same_value(item[name], key[name].value) for name in self._key_names):
                return
        made = " / ".join(_text(keys[0][name].value) for name in self._key_names)
        raise self._unreadable(
            item, f"upcasting it changed its key to {made}, but a record keeps its primary key"
        )

    def _shape_of(self, item: Item) -> int:
        said = item.get(self.attribute)
        if said is None:
            return 1
        text = said.get("N", "")
        if not text.isdecimal() or int(text) < 1:
            raise self._unreadable(item, f"{said} is not a shape")
        return int(text)

    def _upcast(self, item: Item, plain: StoredItem, number: int, upcast: Upcast) -> StoredItem:
        try:
            made = cast("object", upcast(plain))
        except Exception as error:
            reason = f"upcasting from shape {number} raised {type(error).__name__}"
            if self._has_secrets:  # which the error may speak of
                raise self._unreadable(item, reason) from None
            raise self._unreadable(item, f"{reason}: {error}") from error
        if not isinstance(made, dict):
            shown = f"a {type(made).__name__}" if self._has_secrets else repr(made)
            raise self._unreadable(
                item, f"upcasting from shape {number} returned {shown}, not the item"
            )
        return cast("StoredItem", made)

    def _encoded(self, item: Item, plain: StoredItem) -> Item:
        try:
            return {name: encode_any(value) for name, value in plain.items()}
        except Unstorable as error:
            if self._has_secrets:
                raise self._unreadable(
                    item, "upcasting it left a value that cannot be stored"
                ) from None
            raise self._unreadable(item, f"upcasting it left a value that {error}") from error

    def _unreadable(self, item: Item, reason: str) -> Unreadable:
        key = {n: next(iter(item[n].values())) for n in self._key_names if n in item}
        return Unreadable(self._entity, key, {self.attribute: reason})


def _text(value: AttributeValue) -> str:
    return str(next(iter(value.values())))
