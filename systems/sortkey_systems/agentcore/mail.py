"""Mail domains: the domain of an address, and the domains that cover it."""

import re
from collections.abc import Iterator

_LABEL = r"[a-z0-9-]+"
_DOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})+")
_EVERYTHING_UNDER = re.compile(rf"\*\.{_LABEL}(\.{_LABEL})*")
_MAX_LENGTH = 253


def domain_of(email: str | None) -> str | None:
    """Return the domain of an address in lower case; None if it has no assignable domain."""
    domain = (email or "").rpartition("@")[2].lower()
    is_domain = len(domain) <= _MAX_LENGTH and _DOMAIN.fullmatch(domain)
    return domain if is_domain else None


def is_assignable(domain: str) -> bool:
    """Return whether it is a domain, or ``*.`` and a domain, which may be a single label."""
    is_short = len(domain.removeprefix("*.")) <= _MAX_LENGTH
    return is_short and any(kind.fullmatch(domain) for kind in (_DOMAIN, _EVERYTHING_UNDER))


def covering(domain: str) -> Iterator[str]:
    """Yield the domain itself, then each of its parents as ``*.parent``, the nearest first."""
    yield domain
    rest = domain
    while "." in rest:
        rest = rest.partition(".")[2]
        yield f"*.{rest}"
