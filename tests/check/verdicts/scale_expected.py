"""Orders that are uneven by product and even by customer."""

from sortkey import Entity, Expected, Op, Page, Table, gsi, lsi, pattern


class Shop(Table):
    by_product = gsi("GSI1PK", "GSI1SK")


class Logs(Table, partition="device", sort="at"):
    by_level = lsi("level")


class Line(Entity, table=Logs, expected=Expected(per_partition=10, size_bytes=500)):
    device: str
    at: str
    level: str
    primary = Logs.primary.key(expected=Expected(per_partition=50_000_000))
    levels = Logs.by_level.key()


class Order(
    Entity, table=Shop, expected=Expected(count=10_000_000, per_partition=20, hottest_share=0.0001)
):
    customer: str
    product: str
    number: int
    primary = Shop.primary.key("CUSTOMER#{customer}", "ORDER#{number:08d}")
    of_product = Shop.by_product.key(
        "PRODUCT#{product}",
        "{number:08d}",
        expected=Expected(per_partition=90_000, hottest_share=0.2),
    )


@pattern("Place an order", rate="10000/s")
def place(order: Order) -> Op[Order]:
    return order.create()


@pattern("Orders of a customer", rate="100/s")
def of_customer(customer: str) -> Op[list[Order]]:
    return Order.query(customer=customer)


@pattern("Orders of a product", rate="10/s")
def of_product(product: str) -> Op[list[Order]]:
    return Order.query(Order.of_product, product=product)


@pattern("Orders of a product in pages", rate="100/s", page=20)
def page_of_product(product: str, after: str | None = None) -> Op[Page[Order]]:
    return Order.query(Order.of_product, product=product).page(20, after)
