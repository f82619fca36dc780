"""A key belongs to its entity, so a query of another entity by it is a mistake."""

from typing import Self, assert_type

from design import App, Order, User
from sortkey import DB, Entity, Op


class Named(Entity):
    name: str
    by_name = App.gsi1.key("NAME#{name}", "NAMED")

    @classmethod
    def called(cls, name: str) -> Op[list[Self]]:
        return cls.query(cls.by_name, name=name)


class Thing(Named, table=App):
    primary = App.primary.key("THING#{name}", "THING#{name}", earlier="THING")


def own_keys(db: DB) -> None:
    assert_type(db(User.query(User.primary, org_id="acme")), list[User])
    assert_type(db(User.query(User.by_email, email="a@x")), list[User])
    assert_type(db(Thing.query(Thing.by_name, name="x")), list[Thing])
    assert_type(db(Thing.called("x")), list[Thing])


def other_keys() -> None:
    App.primary.key("A", "B", earlier=("A", "B"))  # error
    User.query(Order.by_status, email="a@x")  # error
    Order.query(Thing.by_name, name="x")  # error
    User.query(App.gsi1, email="a@x")  # error
    User.query("by_email", email="a@x")  # error
    User.query(User.by_mail, email="a@x")  # error
