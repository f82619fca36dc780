"""Findings about raw requests that DynamoDB would reject, with a place and a remedy."""

from collections.abc import Mapping

from sortkey.design.findings import Finding

NAMES: Mapping[str, str] = {
    "SK501": "bad-expression",
    "SK502": "unaliased-name",
    "SK503": "undefined-placeholder",
    "SK504": "unused-placeholder",
    "SK505": "bad-placeholder",
    "SK506": "bad-key-condition",
    "SK507": "filter-on-key",
    "SK508": "unknown-index",
    "SK509": "unknown-operation",
    "SK510": "misplaced-member",
    "SK511": "bad-key",
    "SK512": "unknown-argument",
    "SK513": "bad-value",
    "SK514": "consistent-global-index",
    "SK515": "not-projected",
    "SK516": "key-update",
    "SK517": "bad-actions",
}


# What DynamoDB rejects in a request that says all the same what it reads or writes: a name without
# its alias, a placeholder too many, and what is wrong with the way an index is read.
_READABLE = frozenset({"SK502", "SK504", "SK514", "SK515"})


def in_action(number: int, member: str = "") -> str:
    """Return the place of an action, or of a member of it, in its pattern; numbers begin at 1."""
    return f"action {number}.{member}" if member else f"action {number}"


class RawFindings:
    """Collects the findings of a raw pattern, or of one of its actions."""

    def __init__(self, pattern: str, action: int | None = None) -> None:
        self.found: list[Finding] = []
        self._where = pattern if action is None else f"{pattern}.{in_action(action)}"
        self._actions = () if action is None else (action,)

    def add(
        self,
        code: str,
        member: str,
        message: str,
        fix: str,
        *,
        missing: str | None = None,
        actions: tuple[int, ...] = (),
    ) -> None:
        """Add what is wrong with a member of the request, once.

        ``missing`` is the attribute that it lacks, ``actions`` the actions that it is about, where
        it is not about all that there are.
        """
        finding = Finding(
            self.where(member),
            message,
            fix,
            code=code,
            name=NAMES[code],
            about=missing,
            actions=actions or self._actions,
            blocks=code not in _READABLE,
        )
        if finding not in self.found:
            self.found.append(finding)

    def where(self, member: str) -> str:
        """Return the place of a member in the design."""
        return f"{self._where}.{member}"
