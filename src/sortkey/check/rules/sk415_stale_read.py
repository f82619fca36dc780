"""SK415 stale-read: a pattern that must see the last write may not see it."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK415", "stale-read", WARNING)
def stale_read(model: Model) -> Iterator[Finding]:
    """A pattern that must see the last write may not see it.

    It declares `fresh=True`. A global index is updated a moment after the table and does not
    support consistent reads; the table and its local indexes do, with `.consistently()`.

    Flagged:
        class User(Entity, table=App):
            user_id: str
            primary = App.primary.key("USER#{user_id}", "USER")

        @pattern("A user who has just signed up", rate="5/s", fresh=True)
        def user(user_id: str) -> Op[User | None]:
            return User.get(user_id=user_id)

    Instead:
        class User(Entity, table=App):
            user_id: str
            primary = App.primary.key("USER#{user_id}", "USER")

        @pattern("A user who has just signed up", rate="5/s", fresh=True)
        def user(user_id: str) -> Op[User | None]:
            return User.get(user_id=user_id).consistently()
    """
    for request in model.requests:
        if not request.pattern.fresh or not request.reads or request.shape == "transaction":
            continue
        if request.index is not None and request.index.kind == "global":
            # A consistent read of it is rejected, which is reported as that.
            if request.step.consistent:
                continue
            yield Finding(
                request.pattern,
                f"it must see the last write, but reads {request.index}, which is updated a moment "
                "later",
                "Read the table's own key or a local index, or remove fresh=True",
            )
        elif not request.step.consistent:
            yield Finding(
                request.pattern,
                "it must see the last write, but its read is not consistent",
                "Add `consistent=True`" if request.is_raw else "Read it with `.consistently()`",
            )
