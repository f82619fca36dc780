"""Reads on which something is decided, as far as names say."""

import re

from sortkey.check.model import PlannedRequest
from sortkey.wording.names import words

_CREDENTIAL = re.compile(
    r"\b(?:credentials?|grants?|permissions?|(?:api|access|secret) keys?|"
    r"(?:access|api|auth|bearer|refresh|reset|session) tokens?)\b|^token(?: hash)?$"
)
_ON_ACCESS = frozenset(
    {"auth", "authenticate", "authorize", "authorise", "authorization", "login", "permission"}
    | {"permissions", "validate", "verify"}
)
# Whether something is free or there already, and what answers an event that has just happened.
_DECIDING = re.compile(
    r"\bcheck (?:if|whether|that|for)\b|^can\b|\bwhether\b|\balready\b|\bexists?\b|"
    r"\bavailability\b|\b(?:is|are) (?:available|free|taken|unique)\b|\boverlap(?:s|ping)?\b|"
    r"\bconflicts?\b|\bduplicates?\b|\bdedup|\bidempoten|\bcallbacks?\b|\bwebhooks?\b"
)


def decides_access(request: PlannedRequest) -> bool:
    """Whether a credential is looked up, or a record of access by a read that decides."""
    partition = {
        name
        for kind in request.kinds
        for key in kind.keys.values()
        if key.definition is request.index
        for part in key.partition
        for name in part.fields
    }
    if any(_is_credential(words(name)) for name in partition):
        return True
    named = [words(kind.model.__name__) for kind in request.kinds]
    title = {*words(request.pattern.title), *words(request.pattern.name)}
    is_deciding = bool(_ON_ACCESS & title)
    return is_deciding and any(_is_credential(name) or "session" in name for name in named)


def decides(request: PlannedRequest) -> bool:
    """Whether a read's title says that something is decided on what it finds."""
    return _DECIDING.search(" ".join(words(request.pattern.title))) is not None


def _is_credential(said: list[str]) -> bool:
    return _CREDENTIAL.search(" ".join(said)) is not None
