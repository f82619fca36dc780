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


class Faults:
    """Collects the findings of one request."""

    def __init__(self, where: str) -> None:
        self.findings: list[Finding] = []
        self._where = where

    def find(
        self, code: str, member: str, message: str, fix: str, *, missing: str | None = None
    ) -> None:
        """Note a fault of a member of the request; ``missing`` is the attribute that it lacks."""
        finding = Finding(code, NAMES[code], self.where(member), message, fix, missing)
        if finding not in self.findings:
            self.findings.append(finding)

    def where(self, member: str) -> str:
        """The place of a member in the design."""
        return f"{self._where}.{member}"
