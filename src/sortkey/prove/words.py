"""Words in the singular and the plural, with their article."""

import re

# A "u" that is spoken as in "user", an "o" as in "one"; and an "h" that is not spoken.
_CONSONANT = re.compile(r"eu|one|once|uni(?!n)|url|u[bcfghjklpqrstvwxyz][aeiou]|uu", re.IGNORECASE)
_SILENT = re.compile(r"hour|heir|honou?r|honest", re.IGNORECASE)


def counted(number: float, one: str) -> str:
    """Return a number with its noun: ``1 race``, ``2 races``, ``0.5 units``."""
    return f"{number:,g} {one if number == 1 else f'{one}s'}"


def a(name: str) -> str:
    """Return a name with its article, as it is spoken: ``a User``, ``an Info``, ``an Hour``."""
    is_vowel = name[:1].lower() in "aeiou" and not _CONSONANT.match(name)
    return f"{'an' if is_vowel or _SILENT.match(name) else 'a'} {name}"
