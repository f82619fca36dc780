"""Which parts of a batch failed, by the answer of a function with ReportBatchItemFailures."""

from typing import Any, cast

import orjson


class BadFailures(Exception):  # noqa: N818 - says what it is
    """The answer is not one that Lambda understands: it then counts the whole batch as failed."""


def failures_in(answer: str) -> list[str]:
    """Return the identifiers of the parts that failed; none if all succeeded.

    Raises:
        BadFailures: The answer is not understood.
    """
    content: Any = orjson.loads(answer)
    if content is None or content == {}:
        return []
    failures: object = None
    if isinstance(content, dict):
        failures = cast("dict[str, Any]", content).get("batchItemFailures", [])
    if failures is None:
        return []
    if not isinstance(failures, list):
        raise BadFailures("it has no list batchItemFailures")
    found: list[str] = []
    for one in cast("list[Any]", failures):
        identifier: object = None
        if isinstance(one, dict):
            identifier = cast("dict[str, Any]", one).get("itemIdentifier")
        if not isinstance(identifier, str) or not identifier:
            raise BadFailures("a failure has no itemIdentifier")
        found.append(identifier)
    return found
