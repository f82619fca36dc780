"""Requests with reserved words: tried as if each had an alias, since the word is reported once."""

from dataclasses import replace
from functools import wraps
from typing import Any

from sortkey.design.declaring.pattern import Pattern
from sortkey.design.raw.pattern import RawPattern

_RESERVED = "SK502"


class _Aliased(Pattern[..., Any]):
    """A raw pattern whose reserved words are written with aliases."""

    is_raw = True


def aliased(pattern: Pattern[..., Any]) -> Pattern[..., Any]:
    """Return the pattern with aliases if DynamoDB rejects it for reserved words alone."""
    if not isinstance(pattern, RawPattern) or not pattern.findings:
        return pattern
    if any(finding.code != _RESERVED for finding in pattern.findings):
        return pattern

    @wraps(pattern.function)
    def operation(*args: Any, **kwargs: Any) -> Any:
        # A plan reads a reserved word as if it had an alias.
        return replace(pattern.function(*args, **kwargs), _findings=())

    made = _Aliased(
        operation,
        pattern.title,
        rate=None if pattern.rate is None else pattern.rate.text,
        fresh=pattern.fresh,
        page=pattern.page,
        where=pattern.where,
        order=pattern.order,
        descending=pattern.descending,
        ignore=pattern.ignore,
    )
    made.tables = pattern.tables
    return made
