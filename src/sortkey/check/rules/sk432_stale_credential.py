"""SK432 stale-credential: a global index decides whether somebody has access."""

import re
from collections.abc import Iterator

from sortkey.check.fields import words
from sortkey.check.model import Model, Request
from sortkey.check.rule import INFORMATION, Fault, rule

_CREDENTIAL = re.compile(
    r"\b(?:credentials?|grants?|permissions?|(?:api|access|secret) keys?|"
    r"(?:access|api|auth|bearer|refresh|reset|session) tokens?)\b|^token(?: hash)?$"
)
_DECIDING = frozenset(
    {"auth", "authenticate", "authorize", "authorise", "authorization", "login", "permission"}
    | {"permissions", "validate", "verify"}
)


@rule("SK432", "stale-credential", INFORMATION)
def stale_credential(model: Model) -> Iterator[Fault]:
    """A global index decides whether somebody has access.

    A global index follows the table a moment later and cannot be read consistently. A key or token
    that was revoked still passes for that moment, and one that was just made may be refused. It is
    for information, since only names say that the read decides on access. `fresh=True` says that it
    must see the last write.

    Flagged:
        class ApiKey(Entity, table=App):
            key_id: str
            api_key_hash: str
            is_active: bool
            primary = App.primary.key("KEY#{key_id}", "KEY")
            by_hash = App.gsi1.key("HASH#{api_key_hash}", "KEY")

        @pattern("Validate an API key", rate="50/s")
        def valid(api_key_hash: str) -> Op[ApiKey | None]:
            return ApiKey.query(ApiKey.by_hash, api_key_hash=api_key_hash).one()

    Instead:
        class ApiKey(Entity, table=App):
            api_key_hash: str
            is_active: bool
            primary = App.primary.key("HASH#{api_key_hash}", "KEY")

        @pattern("Validate an API key", rate="50/s")
        def valid(api_key_hash: str) -> Op[ApiKey | None]:
            return ApiKey.get(api_key_hash=api_key_hash).consistently()
    """
    for request in model.queries:
        index = request.index
        if index is None or index.kind != "global" or request.pattern.fresh:
            continue
        if _is_access(request):
            yield Fault(
                request.pattern,
                f"it decides on access by {index}, which follows the table a moment later: what "
                "was revoked still passes",
                "Read the record by its primary key with a consistent read before you trust it",
                at="index" if request.is_raw else "",
            )


def _is_access(request: Request) -> bool:
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
    is_deciding = bool({*words(request.pattern.title), *words(request.pattern.name)} & _DECIDING)
    named = [words(kind.model.__name__) for kind in request.kinds]
    return is_deciding and any(_is_credential(name) or "session" in name for name in named)


def _is_credential(said: list[str]) -> bool:
    return _CREDENTIAL.search(" ".join(said)) is not None
