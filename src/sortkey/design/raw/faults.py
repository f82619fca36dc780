"""What DynamoDB would refuse in a raw request, as findings with a place and a remedy."""

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


def in_action(number: int, member: str = "") -> str:
    """Return the place of an action, or of a member of it, in its pattern; numbers begin at 1."""
    return f"action {number}.{member}" if member else f"action {number}"


class Faults:
    """Collects the findings of a pattern, or of one of its actions."""

    def __init__(self, pattern: str, action: int | None = None) -> None:
        self.findings: list[Finding] = []
        self._where = pattern if action is None else f"{pattern}.{in_action(action)}"
        self._actions = () if action is None else (action,)

    def find(
        self,
        code: str,
        member: str,
        message: str,
        fix: str,
        *,
        missing: str | None = None,
        actions: tuple[int, ...] = (),
    ) -> None:
        """Note a fault of a member of the request.

        ``missing`` is the attribute that it lacks, ``actions`` the actions that it is about, where
        it is not about all that there are.
        """
        about = actions or self._actions
        finding = Finding(code, NAMES[code], self.where(member), message, fix, missing, about)
        if finding not in self.findings:
            self.findings.append(finding)

    def where(self, member: str) -> str:
        """The place of a member in the design."""
        return f"{self._where}.{member}"
