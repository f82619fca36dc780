"""SK707 same-item-twice: two actions of a transaction are about one item."""

from collections.abc import Iterator

from sortkey.check.model import Model, Request
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.design.sources import Derived, Generated, Variant, leaves


@rule("SK707", "same-item-twice", ERROR)
def same_item_twice(model: Model) -> Iterator[Fault]:
    """Two actions of a transaction are about one item.

    DynamoDB refuses the transaction, each time. An update with a condition does what an update and
    a check would.

    Flagged:
        class User(Entity, table=App):
            user_id: str
            points: int = 0
            primary = App.primary.key("USER#{user_id}", "USER")

        @pattern("Spend a point", rate="5/s")
        def spend(user_id: str) -> Op[None]:
            return transact(
                User.check(user_id=user_id).where(lambda u: u.points > 0),
                User.update(user_id=user_id).add(lambda u: u.points).by(-1),
            )

    Instead:
        class User(Entity, table=App):
            user_id: str
            points: int = 0
            primary = App.primary.key("USER#{user_id}", "USER")

        @pattern("Spend a point", rate="5/s")
        def spend(user_id: str) -> Op[None]:
            paid = User.update(user_id=user_id).add(lambda u: u.points).by(-1)
            return transact(paid.where(lambda u: u.points > 0))
    """
    for asked in model.asked:
        for path in asked.transactions:
            for request in _again(path.requests):
                what = ", ".join(kind.name for kind in request.kinds) or "record"
                yield Fault(
                    asked.pattern,
                    f"two actions are about the same {what}, which DynamoDB refuses",
                    "Join them into one, with the condition of both",
                )


def _again(requests: tuple[Request, ...]) -> Iterator[Request]:
    """Yield the actions on an item that an earlier one is about; raw ones are refused as made."""
    seen: list[tuple[object, object]] = []
    for request in requests:
        place = (request.table, request.step.key)
        if place in seen and not request.is_raw and _is_known(request):
            yield request
        seen.append(place)


def _is_known(request: Request) -> bool:
    """Whether a key that is written alike is the same key."""
    found = [leaf for compared in request.step.key.values() for leaf in leaves(compared.source)]
    return not any(isinstance(leaf, Derived | Generated | Variant) for leaf in found)
