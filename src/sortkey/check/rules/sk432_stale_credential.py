"""SK432 stale-credential: a read that may be stale decides whether somebody has access."""

from collections.abc import Iterator

from sortkey.check.deciding import decides_access
from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Fault, rule


@rule("SK432", "stale-credential", INFORMATION)
def stale_credential(model: Model) -> Iterator[Fault]:
    """A read that may be stale decides whether somebody has access.

    A global index follows the table a moment later and cannot be read consistently. A key or token
    that was revoked still passes for that moment, and one that was just made may be refused. A
    GetItem by a token may return what was there a moment before, unless it is consistent. It is
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
        if decides_access(request):
            yield Fault(
                request.pattern,
                f"it decides on access by {index}, which follows the table a moment later: what "
                "was revoked still passes",
                "Read the record by its primary key with a consistent read before you trust it",
                at="index" if request.is_raw else "",
            )
    for request in model.raw_requests:
        is_stale = request.verb == "GetItem" and not request.step.consistent
        if is_stale and not request.pattern.fresh and decides_access(request):
            yield Fault(
                request.pattern,
                "it decides on access by a read that may be a moment old: what was revoked still "
                "passes",
                "Add `consistent=True`",
            )
