"""Upcasts are functions of items, and a back-fill takes entities."""

from typing import Any, assert_type

from sortkey import DB, Backfill, Entity, Table
from sortkey.access.rewriting import Progress


class App(Table):
    """One table."""


def split_name(item: dict[str, Any]) -> dict[str, Any]:
    item["first"], _, item["last"] = item.pop("name").partition(" ")
    return item


class User(Entity, table=App, upcasts=(split_name, dict)):
    user_id: str
    first: str
    last: str

    primary = App.primary.key("USER#{user_id}", "{last}", shards=4, was=2)


def back_fill(db: DB) -> None:
    Backfill(db, [App])  # error
    for progress in Backfill(db, [User]).run():
        assert_type(progress, Progress)
