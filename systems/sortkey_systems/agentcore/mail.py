"""Mail domains: the one of an address, and those that cover it."""

import re
from collections.abc import Iterator

_LABEL = r"[a-z0-9-]+"
_DOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})+")
_EVERYTHING_UNDER = re.compile(rf"\*\.{_LABEL}(\.{_LABEL})*")
_MOST_CHARACTERS = 253


def domain_of(email: str | None) -> str | None:
    """The domain of an address in lower case; None where it has none that could be assigned."""
    domain = (email or "").rpartition("@")[2].lower()
    is_domain = len(domain) <= _MOST_CHARACTERS and _DOMAIN.fullmatch(domain)
    return domain if is_domain else None


def is_assignable(domain: str) -> bool:
    """Whether an address can have it: a domain, or ``*.`` and one, which may be a single word."""
    is_short = len(domain.removeprefix("*.")) <= _MOST_CHARACTERS
    return is_short and any(kind.fullmatch(domain) for kind in (_DOMAIN, _EVERYTHING_UNDER))


def covering(domain: str) -> Iterator[str]:
    """The domain itself, then each of its parents as ``*.parent``, the nearest first."""
    yield domain
    rest = domain
    while "." in rest:
        rest = rest.partition(".")[2]
        yield f"*.{rest}"
