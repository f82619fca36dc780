"""SK432 stale-credential: a read that may be stale decides on access."""

from collections.abc import Iterator

from sortkey.check.deciding import decides_access
from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, rule


@rule("SK432", "stale-credential", INFORMATION)
def stale_credential(model: Model) -> Iterator[Finding]:
    """A read that may be stale decides on access.

    A global index is updated a moment after the table and does not support consistent reads. During
    that moment a revoked key or token is still accepted, and a new one may be rejected. A GetItem
    by a token may return an old version, unless it is consistent. Severity is information, because
    only names suggest that the read decides on access. `fresh=True` declares that the pattern must
    see the last write.

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
        if decides_access(request):
            yield Finding(
                request.pattern,
                f"it decides on access by {index}, which is updated a moment after the table: a "
                "revoked credential is still accepted",
                "Read the record by its primary key with a consistent read before you trust it",
                at="index" if request.is_raw else "",
            )
    for request in model.raw_requests:
        is_stale = request.verb == "GetItem" and not request.step.consistent
        if is_stale and not request.pattern.fresh and decides_access(request):
            yield Finding(
                request.pattern,
                "it decides on access by a read that may be stale: a revoked credential is still "
                "accepted",
                "Add `consistent=True`",
            )
