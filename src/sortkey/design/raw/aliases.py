"""Names that an expression may use only through an alias: found in its text, and written as one.

A name in an expression begins with a letter and goes on with letters, digits and underscores; every
other name, and each reserved word, needs a ``#placeholder``. A design knows its attributes, so that
``GSI1-PK`` is read as the name that it is, and not as a difference.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from sortkey.design.tables.table import TableDefinition
from sortkey.expressions.reserved import is_reserved
from sortkey.wording.prose import listed

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
# What only a name can be, whether or not the design knows it: user-name, _status, 2fa, größe.
_NAME = re.compile(
    r"(?<![#:\w.])(?:"
    r"[^\W\d]\w*(?:-(?=\w*[^\W\d])\w+)+"
    r"|_\w+"
    r"|\d+[^\W\d]\w*"
    r"|\w*[^\W\x00-\x7f]\w*"
    r"|[^\W\d]\w*\#(?!\w)"
    r")"
)


class Aliases:
    """The names of one request: those that it gives, and those that it should have given."""

    def __init__(self, table: TableDefinition, given: Mapping[str, str]) -> None:
        self._given = given
        self._attributes = frozenset(_attributes(table))
        self.needed: dict[str, str] = {}

    def known(self, text: str) -> str:
        """Return the text with an alias for each attribute of the table that needs one."""
        odd = [name for name in self._attributes if name and not _PLAIN.fullmatch(name)]
        # The longest first, so that none is taken for a part of another.
        for name in sorted(odd, key=lambda name: (-len(name), name)):
            # Where its first word is an attribute too, it may be a path or a difference.
            first = _PLAIN.match(name)
            if first is None or first[0] not in self._attributes:
                text = self._replaced(text, name)
        return text

    def likely(self, text: str) -> str:
        """Return the text with an alias for each word that can only be a name."""
        for name in dict.fromkeys(_NAME.findall(text)):
            text = self._replaced(text, name)
        return text

    def reserved(self, text: str, word: str) -> str:
        """Return the text with an alias for a reserved word."""
        return re.sub(rf"(?<![#:\w]){word}(?!\w|\s*\()", self._alias(word), text)

    def _replaced(self, text: str, name: str) -> str:
        end = r"(?!\w)" if name[-1].isalnum() or name[-1] == "_" else ""
        pattern = rf"(?<![#:\w.]){re.escape(name)}{end}"
        return re.sub(pattern, self._alias(name), text) if re.search(pattern, text) else text

    def _alias(self, name: str) -> str:
        if name not in self.needed:
            said = [alias for alias, given in self._given.items() if given == name]
            self.needed[name] = said[0] if said else self._new(name)
        return self.needed[name]

    def _new(self, name: str) -> str:
        taken = {*self._given, *self.needed.values()}
        alias = first = "#" + (re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "n")
        number = 2
        while alias in taken:
            alias, number = f"{first}{number}", number + 1
        return alias

    @property
    def message(self) -> str:
        """Say why the names that are needed cannot be used as they are."""
        said = [f'"{name}" {_why(name)}' for name in self.needed]
        if len(said) == 1:
            return f"{said[0]}, so an expression cannot use it without an alias"
        return f"{listed(said)}: an expression cannot use these names without an alias"

    def fix(self, written: Mapping[str, str]) -> str:
        """Say what to write instead of these expressions, with all names of the request."""
        texts = listed(f"`{new}` instead of `{old}`" for old, new in written.items())
        names = {**self._given, **{alias: name for name, alias in self.needed.items()}}
        shown = ", ".join(f'"{alias}": "{name}"' for alias, name in names.items())
        return f"Write {texts}, and give `names={{{shown}}}`"


def _attributes(table: TableDefinition) -> Iterator[str]:
    indexes: Iterable[str] = (
        attribute.name
        for index in (table.primary, *table.indexes.values())
        for attribute in index.attributes
    )
    yield from indexes
    yield from (name for kind in table.entities for name in kind.stored_names.values())
    yield from filter(None, (table.type_attribute, table.settings.ttl))


def _why(name: str) -> str:
    if is_reserved(name):
        return "is a reserved word"
    if name[0].isdigit():
        return "begins with a digit"
    if name[0] == "_" and _PLAIN.fullmatch(f"n{name}"):
        return "begins with _"
    odd = next(character for character in name if not re.fullmatch("[A-Za-z0-9_]", character))
    return "contains a space" if odd == " " else f'contains "{odd}"'
