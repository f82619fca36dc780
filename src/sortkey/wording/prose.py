"""Sentences: lists of names, numbers with their nouns, articles, and the text of docstrings."""

import re
from collections.abc import Iterable, Iterator

# The most names to list in one sentence.
FEW = 3
# A "u" as in "user" or an "o" as in "one"; and a silent "h".
_CONSONANT = re.compile(r"eu|one|once|uni(?!n)|url|u[bcfghjklpqrstvwxyz][aeiou]|uu", re.IGNORECASE)
_SILENT = re.compile(r"hour|heir|honou?r|honest", re.IGNORECASE)


def listed(names: Iterable[str], most: int | None = None) -> str:
    """Return names as a person lists them: ``A``, ``A and B``, ``A, B, C and 4 more``.

    At most ``most`` are named, or one more: "and 1 more" would be as long as the name.
    """
    every = [*names]
    is_long = most is not None and len(every) > most + 1
    shown = [*every[:most], f"{len(every) - (most or 0)} more"] if is_long else every
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def noun(number: float, one: str, many: str = "") -> str:
    """Return a noun in the singular or the plural, according to its number."""
    return one if number == 1 else many or f"{one}s"


def counted(number: float, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 race``, ``2,000 races``, ``0.5 units``."""
    digits = f"{number:,}" if isinstance(number, int) else f"{number:,g}"
    return f"{digits} {noun(number, one, many)}"


def a(name: str) -> str:
    """Return a name with its article, by its sound: ``a User``, ``an Info``, ``an Hour``."""
    is_vowel = name[:1].lower() in "aeiou" and not _CONSONANT.match(name)
    return f"{'an' if is_vowel or _SILENT.match(name) else 'a'} {name}"


def sentence(text: str) -> str:
    """Return a text with a full stop, unless it ends with a punctuation mark."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def capitalised(text: str) -> str:
    """Return a text with its first letter in upper case, and the others as they are."""
    return f"{text[:1].upper()}{text[1:]}"


def uncapitalised(text: str) -> str:
    """Return a text with its first letter in lower case, and the others as they are."""
    return f"{text[:1].lower()}{text[1:]}"


def first_paragraph(doc: str) -> str:
    """Return the first paragraph of a docstring, in one line."""
    return next(paragraphs(doc), "")


def paragraphs(doc: str) -> Iterator[str]:
    """Yield each paragraph of a docstring, in one line."""
    for part in doc.strip().split("\n\n"):
        if text := " ".join(part.split()):
            yield text
