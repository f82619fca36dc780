"""SK612 role-beyond-subject: a role that acts for one subject reaches the records of others."""

from collections.abc import Iterator

from sortkey.check.model import Model, Request
from sortkey.check.rule import ERROR, Fault, rule


@rule("SK612", "role-beyond-subject", ERROR)
def role_beyond_subject(model: Model) -> Iterator[Fault]:
    """A role that acts for one subject reaches the records of others.

    `acts_for` says that each of its sessions stands for one subject, and IAM can hold it to
    partitions that name it. A pattern of the role chooses its partition by something else, so the
    grant would have to be open to all, or the pattern would fail.

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
                yield Fault(
                    role,
                    f"it acts for one {role.acts_for}, and {request.pattern.name} chooses the "
                    f"partition of {request.index or request.table} by something else",
                    f"Query by a key whose partition has `{role.acts_for}`, or give the pattern to "
                    "another role",
                )


def _names(request: Request, subject: str) -> bool:
    """Whether the partition is chosen by the subject, as an argument or a field of one."""
    return any(name.rpartition(".")[2] == subject for name in request.partition_arguments)
