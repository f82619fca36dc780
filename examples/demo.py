"""A shop, written once: in this process, over HTTP, through boto3, and in a race."""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from textwrap import wrap
from typing import Any

import boto3
from boto3.dynamodb.conditions import Key
from shop import Basket, Customer, Order, Shop, account, orders_by_status

from sortkey import DB, NotUnique, TransactionFailed, VersionConflict
from sortkey.testing import ExplorationFailed, explore

MAY = datetime(2031, 5, 1, 9, tzinfo=UTC)
LATER = MAY + timedelta(days=30)

Say = Callable[[str, str], None]


def tell(verb: str, text: str = "") -> None:
    """Print what was done, and what came of it, on as many lines as that takes."""
    for line in wrap(text, 66, subsequent_indent="  "):
        print(f"  {verb:<10}{line}".rstrip())
        verb = ""


def write(db: DB, say: Say) -> None:
    """Two customers; the third wants an e-mail that is taken."""
    for name in ("ada", "eve"):
        db(Customer(customer_id=name, email=f"{name}@example.org").create())
    say("create", "two customers, ada and eve")
    try:
        db(Customer(customer_id="bob", email="eve@example.org").create())
    except NotUnique as error:
        say("create", f"bob with eve's e-mail: {type(error).__name__}")
        say("", f"{error}")


def buy(db: DB, say: Say) -> None:
    """Orders, each in one transaction with the customer's count."""
    for number in range(1, 6):
        placed = MAY + timedelta(days=number)
        db.transact(
            Order(customer_id="ada", number=number, placed=placed, total=Decimal(number)).create(),
            Customer.update(customer_id="ada").add(lambda c: c.orders).by(1),
        )
    say("transact", "five orders of ada, each with her count of orders")
    try:
        db.transact(
            Order(customer_id="zoe", number=9, placed=MAY, total=Decimal(9)).create(),
            Customer.update(customer_id="zoe").add(lambda c: c.orders).by(1),
        )
    except TransactionFailed as error:
        say("transact", "an order of zoe, whom nobody knows: nothing is written")
        say("", f"{error.failures[1]}")


def pay(db: DB, say: Say) -> None:
    """An order is paid, and moves in the index; who still has the old one is told."""
    order = db(Order.get(customer_id="ada", number=2).required())
    paid = db(order.update().set(lambda o: o.status).to("paid"))
    say("update", f"order 2 is paid; its version goes from {order.rev} to {paid.rev}")
    try:
        db(order.update().set(lambda o: o.status).to("cancelled"))
    except VersionConflict as error:
        say("update", f"cancel it, as it was loaded before: {type(error).__name__}")
        say("", f"{error}")


def ask(db: DB, say: Say) -> None:
    """The two questions that the design answers."""
    found = db(account("ada"))
    count = found.customer.orders if found.customer else 0
    say("query", f"ada's account, one Query: {count} orders counted, {len(found.orders)} there")
    page = db(orders_by_status("open"))
    say("query", f"open orders, oldest first: {[order.number for order in page]}")
    page = db(orders_by_status("paid"))
    say("query", f"paid orders: {[order.number for order in page]}")


def expire(db: DB, say: Say) -> None:
    """A basket whose time is over is not there, whether or not it is still stored."""
    db(Basket(customer_id="ada", items=3, expires=datetime(2020, 1, 1, tzinfo=UTC)).put())
    say("get", f"a basket past its time: {db(Basket.get(customer_id='ada'))}")


def story(db: DB, say: Say) -> None:
    """Everything, on whatever database it is given."""
    for part in (write, buy, pay, ask, expire):
        part(db, say)


def retell(address: str, heard: list[tuple[str, str]]) -> None:
    """Run the same story over HTTP, and compare what is said."""
    began = time.perf_counter()
    again: list[tuple[str, str]] = []
    with DB.endpoint(address, Shop) as db:
        db.create_tables()
        story(db, lambda verb, text: again.append((verb, text)))
    milliseconds = (time.perf_counter() - began) * 1000
    same = "the same, line for line" if again == heard else "NOT THE SAME"
    tell("repeat", f"{same}, in {milliseconds:.0f} ms")


def look(address: str) -> None:
    """See through AWS's own SDK what was stored."""
    session = boto3.Session("any", "any", region_name="us-east-1")
    # The stubs' overloads name every AWS service, and only DynamoDB's is installed.
    dynamodb = session.resource("dynamodb", endpoint_url=address)  # pyright: ignore[reportUnknownMemberType]
    answer = dynamodb.Table("Shop").query(
        IndexName="gsi1",
        KeyConditionExpression=Key("GSI1PK").eq("STATUS#paid"),
        ReturnConsumedCapacity="TOTAL",
    )
    units = answer["ConsumedCapacity"].get("CapacityUnits", 0)
    tell("query", f"paid orders, by the index itself: {units:g} units")
    item: dict[str, Any] = answer["Items"][0]
    for name in ("PK", "SK", "GSI1PK", "GSI1SK", "status", "total"):
        tell("", f"{name:<8}{item[name]}")


def race() -> None:
    """Two tabs fill one basket: every order of their requests is tried."""
    with DB.memory(Shop) as db:
        db(Basket(customer_id="ada", expires=LATER).create())

        def read_and_put() -> None:
            basket = db(Basket.get(customer_id="ada").required())
            db(Basket(customer_id="ada", items=basket.items + 1, expires=LATER).put())

        def add() -> None:
            db(Basket.update(customer_id="ada").add(lambda b: b.items).by(1))

        def both_are_in() -> bool:
            return db(Basket.get(customer_id="ada").required()).items == 2

        for name, call in (("read, then put", read_and_put), ("add one", add)):
            try:
                found = explore(
                    call, call, db=db, invariant=both_are_in, crashes=False, lost_answers=False
                )
            except ExplorationFailed as error:
                tell("explore", f"{name}: one is lost in the order {error.schedule} (A, B, B, A)")
            else:
                tell("explore", f"{name}: nothing is lost in any of {found.schedules} orders")


@contextmanager
def served_engine() -> Generator[str]:
    """The address of an engine that holds its data in memory and ends with the block."""
    command = [str(Path(sys.executable).with_name("sortkey")), "serve", "--port", "0"]
    # S603: the command is our own.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            line = server.stdout.readline() if server.stdout else ""
            address = re.search(r"http://[\d.]+:\d+", line)
            if address is None:
                raise SystemExit(f"the engine did not start: {line}")
            yield address[0]
        finally:
            server.terminate()


def main() -> None:
    """Run the demonstration from start to end."""
    print("examples/shop.py, on the engine in this process:\n")
    heard: list[tuple[str, str]] = []

    def say(verb: str, text: str) -> None:
        heard.append((verb, text))
        tell(verb, text)

    with DB.memory(Shop) as db:
        story(db, say)
    with served_engine() as address:
        print(f"\nThe same over HTTP, at {address}:\n")
        retell(address, heard)
        print("\nAnd what boto3 sees there:\n")
        look(address)
    print("\nTwo tabs, A and B, put something into one basket:\n")
    race()


try:
    main()
except BrokenPipeError:
    sys.stderr.close()  # whoever was reading, like head, has seen enough
