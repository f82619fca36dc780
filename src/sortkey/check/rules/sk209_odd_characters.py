"""SK209 odd-characters: a key, a value or a name has characters that look like a mistake."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from string import Formatter
from typing import TypeAlias

from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.plans.sources import Elements, Members, Source, Text, Variant, source_of
from sortkey.expressions.placing import placed

# The odd part of a text, and the fix.
Oddity: TypeAlias = tuple[str, str]

_QUOTES = frozenset("\"'`\u00ab\u00b4\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a")
_DELIMITERS = frozenset("#|")
_PLACEHOLDER = re.compile(r"<[^<>]*[^\W\d][^<>]*>")
_OTHER_SLOT = re.compile(r"\{[^{}]*\}|%[sd](?![^\W\d_])|\.\.\.|\u2026")
# A value may contain any characters, but not be quoted as a whole.
_QUOTED = re.compile(r"([\"'`]).*\1|\u201c.*\u201d|\u2018.*\u2019", re.DOTALL)
_WHITE = {"\t": "a TAB", "\n": "a newline", "\r": "a carriage return"}


@rule("SK209", "odd-characters", WARNING)
def odd_characters(model: Model) -> Iterator[Finding]:
    """A key, a value or a name has characters that look like a mistake.

    DynamoDB compares keys byte by byte. A quote, a TAB, a space at either end or next to a
    delimiter, a full-width or an invisible character becomes part of the key, and a request without
    it finds nothing. Such characters often come from a document that the design was copied from, as
    does a `<placeholder>` instead of a `{field}`. Key templates, the keys and values of raw
    requests and attribute names are checked; other values may contain quotes and line breaks.

    Flagged:
        class Feature(Entity, table=App):
            user_id: str
            feature: str
            primary = App.primary.key("USER#{user_id}", "FEATURE#<feature>")

    Instead:
        class Feature(Entity, table=App):
            user_id: str
            feature: str
            primary = App.primary.key("USER#{user_id}", "FEATURE#{feature}")
    """
    yield from _names(model)
    known: set[tuple[str, str, str]] = set()
    for kind in model.kinds:
        seen: set[str] = set()
        for key in kind.keys.values():
            for part in key.parts:
                if part.attribute.name in seen:
                    continue  # a local index has the partition of its table
                seen.add(part.attribute.name)
                pieces = [p if isinstance(p, str) else None for p in part.template.parts]
                for what, fix in _in_key(pieces):
                    known.add((str(kind.table), part.attribute.name, what))
                    message = f"{part.template.text!r} has {what}, which every request must repeat"
                    yield Finding(key, message, fix, at=part.attribute.name)
    for request in model.raw_requests:
        for name, text, what, fix in _sent(request):
            # A fault of an entity's template is reported there.
            if (str(request.table), name, what) not in known:
                yield Finding(request.pattern, f"{text!r} has {what}", fix, at=name)


def _names(model: Model) -> Iterator[Finding]:
    """Yield the key attributes and fields whose stored names have odd characters."""
    for table in model.design.tables:
        definition = table.definition
        for index in (definition.primary, *definition.indexes.values()):
            for attribute in index.attributes:
                for what, fix in _in_name(attribute.name):
                    yield Finding(index, f"the attribute {attribute.name!r} has {what}", fix)
    for kind in model.kinds:
        for name, stored in kind.stored_names.items():
            for what, fix in _in_name(stored):
                yield Finding(kind, f"it is stored as {stored!r}, which has {what}", fix, at=name)


def _sent(request: PlannedRequest) -> Iterator[tuple[str, str, str, str]]:
    """Yield each odd text of a raw request: its attribute, the text, the odd part and the fix."""
    step = request.step
    indexes = (step.table.primary, *step.table.indexes.values())
    keys = {attribute.name for index in indexes for attribute in index.attributes}
    sources: list[tuple[str, Source]] = [
        (name, source) for name, compared in step.key.items() for source in compared.sources
    ]
    sources += (step.item or {}).items()
    for tree in (step.filter, step.condition, step.update):
        sources += [(name, source_of(value)) for name, value in placed(tree)]
    for name, text in dict.fromkeys((n, text) for n, s in sources for text in _texts(s)):
        pieces = _pieces(text)
        for what, fix in _in_key(pieces) if name in keys else _in_value(pieces):
            yield name, text, what, fix


def _texts(source: Source) -> Iterator[str]:
    """Yield the templates of a value, at any depth."""
    match source:
        case Text(template):
            yield template
        case Members(members):
            yield from (text for member in members.values() for text in _texts(member))
        case Elements(parts) | Variant(parts):
            yield from (text for part in parts for text in _texts(part))
        case _:
            pass


def _pieces(text: str) -> list[str | None]:
    """Return the literals of a template, with None for each slot."""
    pieces: list[str | None] = []
    for literal, slot, _, _ in Formatter().parse(text):
        pieces += [literal] if literal else []
        pieces += [] if slot is None else [None]
    return pieces


def _in_key(pieces: Sequence[str | None]) -> Iterator[Oddity]:
    """Yield the odd parts of a key's text, each kind once."""
    literals = [piece for piece in pieces if piece is not None]
    written = "".join(literals)
    if any(character in _QUOTES for character in written):
        yield "quotes", "Write it without quotes"
    yield from _placeholders(pieces)
    yield from _unseen(written)
    yield from _ends(pieces)
    if _has_blank_inside(pieces):
        yield "a space next to a delimiter or a field", "Remove the space"
    if any(_is_full_width(character) for character in written):
        yield "a full-width character", "Write the ASCII character"


def _is_full_width(character: str) -> bool:
    # U+FFFF sorts after every text, so a range that ends with it includes all of them.
    is_assigned = unicodedata.category(character) not in {"Cn", "Zs"}
    return is_assigned and unicodedata.east_asian_width(character) == "F"


def _in_value(pieces: Sequence[str | None]) -> Iterator[Oddity]:
    """Yield the odd parts of a value that is not a key and may be any text."""
    written = "".join("" if piece is None else piece for piece in pieces)
    if len(written) > 1 and _QUOTED.fullmatch(written):
        yield "quotes around it", "Write it without quotes; a value does not need them"
    if _PLACEHOLDER.fullmatch(written.strip()):
        yield from _placeholders(pieces)
    yield from (found for found in _unseen(written) if found[0] not in _LINE_BREAKS)
    yield from _ends(pieces)


def _in_name(name: str) -> Iterator[Oddity]:
    if any(character in _QUOTES for character in name):
        yield "quotes", "Write it without quotes"
    yield from _unseen(name)
    yield from _ends([name])


def _placeholders(pieces: Sequence[str | None]) -> Iterator[Oddity]:
    literals = [piece for piece in pieces if piece is not None]
    for literal in literals:
        for found in dict.fromkeys(_PLACEHOLDER.findall(literal)):
            yield (
                f"the placeholder {found}",
                f"Write {{{_field(found)}}}, or the intended text",
            )
        for found in dict.fromkeys(_OTHER_SLOT.findall(literal)):
            yield f"the placeholder {found}", "Write {field} in single braces, or the intended text"
    for piece, following in pairwise(pieces):
        if piece is not None and following is None and piece.endswith("$"):
            yield "a $ before a field", "Write {field} without the $"


def _field(placeholder: str) -> str:
    return re.sub(r"\W+", "_", placeholder.strip("<> ")).strip("_")


def _unseen(written: str) -> Iterator[Oddity]:
    """Yield characters that an editor does not show, or shows as a space."""
    for character in dict.fromkeys(written):
        category = unicodedata.category(character)
        if character in _WHITE:
            yield _WHITE[character], "Remove it"
        elif category in {"Cc", "Cf"}:
            yield f"the invisible character {_code(character)}", "Remove it"
        elif category == "Zs" and character != " ":
            yield f"the space {_code(character)}", "Remove it, or write an ordinary space"


_LINE_BREAKS = frozenset({_WHITE["\n"], _WHITE["\r"]})


def _code(character: str) -> str:
    name = unicodedata.name(character, "").lower()
    return f"U+{ord(character):04X} {name}".strip()


def _ends(pieces: Sequence[str | None]) -> Iterator[Oddity]:
    first, last = pieces[:1], pieces[-1:]
    if any(piece is not None and piece.startswith(" ") for piece in first):
        yield "a space at its start", "Remove the space"
    if any(piece is not None and piece.endswith(" ") for piece in last):
        yield "a space at its end", "Remove the space"


def _has_blank_inside(pieces: Sequence[str | None]) -> bool:
    """Return whether a space inside the text is next to a delimiter or a field."""
    # A field counts as a delimiter here.
    text = "".join("#" if piece is None else piece for piece in pieces).strip(" ")
    return any(" " in pair and _DELIMITERS.intersection(pair) for pair in pairwise(text))
