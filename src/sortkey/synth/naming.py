"""Names in the code of each target."""

import re
from hashlib import sha256

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def _words(name: str) -> list[str]:
    return _WORD.findall(name)


def pascal(name: str) -> str:
    """Return the name of a class: ``quota-reader`` is ``QuotaReader``."""
    return "".join(word[0].upper() + word[1:] for word in _words(name))


def camel(name: str) -> str:
    """Return a variable's name in TypeScript: ``UserQuotasTable`` is ``userQuotasTable``."""
    first, *rest = _words(name)
    return first.lower() + "".join(word[0].upper() + word[1:] for word in rest)


def snake(name: str) -> str:
    """Return a name in Python and Terraform: ``UserQuotasTable`` is ``user_quotas_table``."""
    return "_".join(word.lower() for word in _words(name))


def shortened(name: str, most: int) -> str:
    """Return a name, cut off if it is longer than ``most``; different names stay different."""
    if len(name) <= most:
        return name
    digest = sha256(name.encode()).hexdigest()[:8]
    return f"{name[: most - 9]}-{digest}"
