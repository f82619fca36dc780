"""Evolution: records that were stored in an earlier shape are read as they would be stored now.

Upcasting happens on the stored item, before it is validated, so that an entity never knows of its
earlier shapes.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from sortkey.design.codecs import Unstorable
from sortkey.design.codecs.dynamic import decode_any, encode_any
from sortkey.errors import Unreadable
from sortkey.expressions.tree import Value
from sortkey.wire.values import AttributeValue, Item, same_value

# An item with plain Python values, by the names of its attributes.
StoredItem: TypeAlias = dict[str, Any]
Upcast: TypeAlias = Callable[[StoredItem], StoredItem]


class Evolution:
    """How an entity's items come from each earlier shape to the next; the first shape is 1."""

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
        # What is stored with a record of the present shape; nothing says the first.
        self.mark: AttributeValue | None = {"N": str(self.shape)} if upcasts else None
        self._entity = entity
        self._key_names = key_names
        self._upcasts = upcasts
        self._has_secrets = has_secrets

    def is_current(self, item: Item) -> bool:
        """Whether the item is in the present shape."""
        return item.get(self.attribute) == self.mark

    def seen(self, item: Item, *, whole: bool) -> Item:
        """The item in the present shape, where it is seen whole or needs no change."""
        if self.is_current(item):
            return item
        if not whole and self.shape > 1:
            raise self._unreadable(
                item, "it is in another shape, and what is read here is too little to upcast it"
            )
        return self.current(item)

    def current(self, item: Item) -> Item:
        """The item as it would be in the present shape."""
        shape = self._shape_of(item)
        if shape > self.shape:
            raise self._unreadable(
                item,
                f"it is in shape {shape}, and this program knows {self._entity} up to shape "
                f"{self.shape}: the program is older than the record",
            )
        plain = {name: decode_any(value) for name, value in item.items()}
        for number, upcast in enumerate(self._upcasts[shape - 1 :], shape):
            plain = self._upcast(item, plain, number, upcast)
        return self._encoded(item, plain)

    def refuse_moved(self, item: Item, keys: tuple[Mapping[str, Value], ...]) -> None:
        """Refuse an item that upcasting has given another primary key than one of these."""
        for key in keys:
            if all(same_value(item[name], key[name].value) for name in self._key_names):
                return
        made = " / ".join(_text(keys[0][name].value) for name in self._key_names)
        raise self._unreadable(
            item, f"upcasting it changed its key to {made}, and a record keeps its primary key"
        )

    def _shape_of(self, item: Item) -> int:
        said = item.get(self.attribute)
        if said is None:
            return 1
        text = said.get("N", "")
        if not text.isdecimal() or int(text) < 1:
            raise self._unreadable(item, f"{said} is no shape")
        return int(text)

    def _upcast(self, item: Item, plain: StoredItem, number: int, upcast: Upcast) -> StoredItem:
        try:
            made = cast("object", upcast(plain))
        except Exception as error:
            told = f"upcasting from shape {number} raised {type(error).__name__}"
            if self._has_secrets:  # which the error may speak of
                raise self._unreadable(item, told) from None
            raise self._unreadable(item, f"{told}: {error}") from error
        if not isinstance(made, dict):
            shown = f"a {type(made).__name__}" if self._has_secrets else repr(made)
            raise self._unreadable(
                item, f"upcasting from shape {number} returned {shown}, and not the item"
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

    def _unreadable(self, item: Item, told: str) -> Unreadable:
        key = {n: next(iter(item[n].values())) for n in self._key_names if n in item}
        return Unreadable(self._entity, key, {self.attribute: told})


def _text(value: AttributeValue) -> str:
    return str(next(iter(value.values())))
