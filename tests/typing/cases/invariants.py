"""An invariant keeps the signature of the function that it is, which returns a bool."""

from typing import assert_type

from design import Order, User
from sortkey import invariant


@invariant("An order is of a user")
def is_owned(order: Order, users: list[User]) -> bool:
    return any(user.org_id == order.org_id for user in users)


def use(order: Order, user: User) -> None:
    assert_type(is_owned(order, [user]), bool)


def mistakes(order: Order, user: User) -> None:
    is_owned(order)  # error
    is_owned(user, [user])  # error
    is_owned(order, [order])  # error


@invariant("An assertion is not an answer")  # error
def asserts(order: Order) -> None:
    assert order.total >= 0
