"""SK707 same-item-twice: two actions of a transaction are on the same item."""

from collections.abc import Iterator

from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.plans.sources import Derived, Generated, Variant, leaves


@rule("SK707", "same-item-twice", ERROR)
def same_item_twice(model: Model) -> Iterator[Finding]:
    """Two actions of a transaction are on the same item.

    DynamoDB always rejects the transaction. An update with a condition does the work of an update
    and a check.

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
    for planned in model.patterns:
        for path in planned.transactions:
            for request in _again(path.requests):
                what = ", ".join(kind.name for kind in request.kinds) or "record"
                yield Finding(
                    planned.pattern,
                    f"two actions are on the same {what}, which DynamoDB rejects",
                    "Combine them into one action, with both conditions",
                )


def _again(requests: tuple[PlannedRequest, ...]) -> Iterator[PlannedRequest]:
    """Yield the actions on an item of an earlier action; SK517 reports raw ones."""
    seen: list[tuple[object, object]] = []
    for request in requests:
        place = (request.table, request.step.key)
        if place in seen and not request.is_raw and _is_known(request):
            yield request
        seen.append(place)


def _is_known(request: PlannedRequest) -> bool:
    """Whether equal sources of a key mean equal keys."""
    found = [leaf for compared in request.step.key.values() for leaf in leaves(compared.source)]
    return not any(isinstance(leaf, Derived | Generated | Variant) for leaf in found)
