"""SK612 role-beyond-subject: a role that acts for one subject can access the records of others."""

from collections.abc import Iterator

from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK612", "role-beyond-subject", ERROR)
def role_beyond_subject(model: Model) -> Iterator[Finding]:
    """A role that acts for one subject can access the records of others.

    `acts_for` declares that each session of the role represents one subject, and IAM can restrict
    it to partitions that contain the subject. A pattern of the role selects its partition by
    another value, so the grant would have to cover all partitions, or the pattern would fail.

    Flagged:
        class Order(Entity, table=App):
            user_id: str
            order_id: str
            primary = App.primary.key("ORDER#{order_id}", "ORDER")

        @pattern("An order", rate="5/s")
        def order(order_id: str) -> Op[Order | None]:
            return Order.get(order_id=order_id)

        customer = Role("customer", [order], acts_for="user_id")

    Instead:
        class Order(Entity, table=App):
            user_id: str
            order_id: str
            primary = App.primary.key("USER#{user_id}", "ORDER#{order_id}")

        @pattern("An order", rate="5/s")
        def order(user_id: str, order_id: str) -> Op[Order | None]:
            return Order.get(user_id=user_id, order_id=order_id)

        customer = Role("customer", [order], acts_for="user_id")
    """
    for role in model.design.roles:
        allowed = {id(pattern) for pattern in role.patterns}
        for request in model.requests:
            if role.acts_for is None or id(request.pattern) not in allowed:
                continue
            if not _names(request, role.acts_for):
                yield Finding(
                    role,
                    f"it acts for one {role.acts_for}, but {request.pattern.name} selects the "
                    f"partition of {request.index or request.table} by another value",
                    f"Query by a key whose partition has `{role.acts_for}`, or give the pattern to "
                    "another role",
                )


def _names(request: PlannedRequest, subject: str) -> bool:
    """Whether the partition is selected by the subject, as an argument or a field of one."""
    return any(name.rpartition(".")[2] == subject for name in request.partition_arguments)
