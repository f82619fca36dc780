"""A shop whose orders are followed, also by workers that are killed."""

import os
import sys
from datetime import timedelta

from sortkey import DB, Entity, Settings, ShardLease, Table, follow


class Shop(Table, settings=Settings(stream="NEW_AND_OLD_IMAGES"), ttl="expires"):
    """Orders and customers."""


class Order(Entity, table=Shop):
    order_id: int
    step: int = 0

    primary = Shop.primary.key("ORDER#{order_id:08d}", "ORDER")


class Customer(Entity, table=Shop):
    name: str

    primary = Shop.primary.key("CUSTOMER#{name}", "CUSTOMER")


class Leases(ShardLease, table=Shop):
    primary = Shop.primary.key("CONSUMER#{consumer}", "SHARD#{shard}")


def work(url: str, log: str) -> None:
    """Follow the orders for ever, and append each change to a file."""
    db = DB.endpoint(url, Shop)
    out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    changes = follow(db, Order, leases=Leases, lease=timedelta(seconds=1))
    for change in changes:
        after = change.required_after()
        os.write(out, f"{os.getpid()} {after.order_id} {after.step}\n".encode())


if __name__ == "__main__":
    work(*sys.argv[1:])
