"""A condition is a function of the entity itself, so its fields and their types are known."""

from datetime import datetime
from decimal import Decimal

from design import Order, Plan, User
from sortkey import (
    all_of,
    any_of,
    begins_with,
    between,
    contains,
    exists,
    missing,
    not_,
    one_of,
    size,
    value_of,
)

users = User.query(org_id="acme")
orders = Order.query(org_id="acme")


def comparisons(since: datetime) -> None:
    users.where(lambda u: u.logins > 3)
    users.where(lambda u: u.email == "a@x")
    users.where(lambda u: u.email != None)
    users.where(lambda u: u.home.city == "Oslo")
    users.where(lambda u: (u.logins >= 3) & (u.rev < 9) | (u.invited_by == "x"))
    orders.where(lambda o: (o.total > 0) & (o.placed >= since))
    orders.where(lambda o: o.total > Decimal("0.5"))

    users.where(lambda u: u.active)
    users.where(lambda u: not_(u.active))
    users.where(lambda u: u.active & (u.logins > 3) | not_(u.active))
    users.where(lambda u: all_of(u.active, not_(u.active)))

    users.where(lambda u: value_of(u.expires) > since)
    users.where(lambda u: value_of(u.address).city == "Oslo")

    users.where(lambda u: u.emial == "a@x")  # error
    users.where(lambda u: u.expires > since)  # error
    users.where(lambda u: u.address.city == "Oslo")  # error
    users.where(lambda u: value_of(u.expires) > 3)  # error
    users.where(lambda u: value_of(u.address).town == "Oslo")  # error
    users.where(lambda u: u.email == 3)  # error
    users.where(lambda u: u.logins > "three")  # error
    users.where(lambda u: u.home.town == "Oslo")  # error
    users.where(lambda u: u.notes)  # error
    users.where(lambda o: o.total > 0)  # error
    users.where(True)  # error
    orders.where(lambda o: o.placed >= "2026-01-01")  # error
    User.scan().where(lambda u: u.emial == "a@x")  # error


def functions(since: datetime) -> None:
    users.where(lambda u: exists(u.email))
    users.where(lambda u: missing(u.expires))
    users.where(lambda u: begins_with(u.email, "a@"))
    users.where(lambda u: contains(u.tags, "new"))
    users.where(lambda u: contains(u.badges, "gold"))
    users.where(lambda u: contains(u.notes, "late"))
    users.where(lambda u: contains(u.email, "@x"))
    users.where(lambda u: between(u.logins, 1, 3))
    users.where(lambda u: between(u.expires, since, since))
    users.where(lambda u: between(u.credit, 1, Decimal("3.5")))
    users.where(lambda u: one_of(u.email, ["a@x", "b@x"]))
    users.where(lambda u: one_of(u.logins, range(3)))
    users.where(lambda u: one_of(u.credit, {1, Decimal("3.5")}))
    users.where(lambda u: one_of(u.plan, [Plan.FREE]))
    users.where(lambda u: size(u.tags) > 3)
    users.where(lambda u: size(u.notes) == size(u.log))
    users.where(lambda u: all_of(u.logins > 3, any_of(exists(u.email), not_(u.rev == 1))))

    users.where(lambda u: exists(u.emial))  # error
    users.where(lambda u: begins_with(u.logins, "a@"))  # error
    users.where(lambda u: begins_with(u.email, 3))  # error
    users.where(lambda u: contains(u.tags, 3))  # error
    users.where(lambda u: contains(u.notes, 3))  # error
    users.where(lambda u: contains(u.email, 3))  # error
    users.where(lambda u: contains(u.logins, 3))  # error
    users.where(lambda u: between(u.logins, "a", "b"))  # error
    users.where(lambda u: between(u.expires, 1, 3))  # error
    users.where(lambda u: one_of(u.email, [1, 2]))  # error
    users.where(lambda u: one_of(u.expires, ["a"]))  # error
    users.where(lambda u: one_of(u.plan, ["free"]))  # error
    users.where(lambda u: size(u.logins) > 3)  # error
    users.where(lambda u: all_of(u.notes, u.rev > 1))  # error
