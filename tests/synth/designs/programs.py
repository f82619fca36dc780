"""A design with every kind of function: what calls it, what it uses, and what it needs to know."""

from datetime import timedelta
from typing import Annotated

from sortkey import (
    About,
    Alarms,
    Bucket,
    Entity,
    ExternalService,
    Function,
    HttpApi,
    OnChange,
    OnMessage,
    Op,
    Page,
    Queue,
    Role,
    Route,
    Schedule,
    SecretKey,
    Setting,
    Settings,
    Table,
    pattern,
    secret,
)


class Orders(
    Table,
    name="orders-{environment}",
    settings=Settings(
        stream="NEW_AND_OLD_IMAGES",
        encryption="arn:aws:kms:eu-central-1:123456789012:key/own",
        removal={"prod": "retain", "dev": "destroy"},
        alarms=Alarms(period_seconds=60),
    ),
):
    """Orders, and what customers say of them."""


class Stock(
    Table,
    name="stock-{environment}",
    partition="sku",
    type_attribute=None,
    settings=Settings(stream="KEYS_ONLY", removal={"prod": "retain", "dev": "destroy"}),
):
    """How much there is of each thing."""


class Order(Entity, table=Orders):
    """What a customer ordered."""

    customer_id: str
    order_id: str
    note: Annotated[str | None, secret] = None

    primary = Orders.primary.key("CUSTOMER#{customer_id}", "ORDER#{order_id}")


class Review(Entity, table=Orders):
    """What a customer says of an order."""

    order_id: str
    stars: int

    primary = Orders.primary.key("REVIEW#{order_id}", "REVIEW")


class Thing(Entity, table=Stock):
    """A thing that can be ordered."""

    sku: str
    pieces: int


@pattern("Orders of a customer")
def orders_of(customer_id: str) -> Op[Page[Order]]:
    return Order.query(Order.primary, customer_id=customer_id).page(20)


@pattern("Place an order")
def place(order: Order) -> Op[Order]:
    return order.create()


@pattern("Review an order")
def review(review: Review) -> Op[Review]:
    return review.put()


@pattern("A thing")
def thing(sku: str) -> Op[Thing | None]:
    return Thing.get(sku=sku)


@pattern("Take pieces of a thing")
def take(sku: str, pieces: int) -> Op[Thing]:
    return Thing.update(sku=sku).add(pieces=-pieces)


about = About(name="shop", environments=("dev", "prod"), secret_key=SecretKey())

issuer = Setting("ISSUER", "Who signs the tokens of customers", default="https://id.example")
page_size = Setting("PAGE_SIZE", 'Orders on a page, such as "20"', default="20")
api = HttpApi("api", issuer=issuer, audience="shop", origins=("https://shop.example",))
admin = HttpApi(
    "admin",
    issuer=issuer,
    audience="desk",
    algorithms=("ES256",),
    origins=("https://desk.example",),
)
hooks = HttpApi("hooks")

parcels = Queue("parcels", invisible=timedelta(minutes=12), deliveries=3)
mails = Queue("mails", retention=timedelta(days=14))
reports = Bucket("reports", keep_days=30)
labels = Bucket("labels")
carrier = ExternalService(
    "carrier",
    "shop.fakes:carrier",
    (
        Setting("CARRIER_URL", "The address of the carrier"),
        Setting("CARRIER_KEY", "What the carrier knows the shop by", secret=True),
    ),
)

# Each session has the orders of one customer; a function has no session tag.
customer = Role("customer", [orders_of, place, review], acts_for="customer_id")
packer = Role("packer", [thing, take], attached_to="shop-{environment}-packer")
watcher = Role("watcher", [thing])

orders_function = Function(
    "orders",
    "shop.functions.orders:handler",
    customer,
    triggers=[
        Route(api, "GET /orders"),
        Route(api, "POST /orders/{order_id}/review"),
        Route(api, "GET /health", open=True),
        Route(admin, "GET /customers/{customer_id}/orders"),
    ],
    environment={"PAGE_SIZE": page_size, "GREETING": 'Say "hello" to ${nobody}, and to %{all}'},
    concurrency=20,
    log_days=30,
    sends_to=[parcels],
)
pack_function = Function(
    "pack",
    "shop.functions.pack:handler",
    packer,
    triggers=[OnMessage(parcels, batch=50), Route(hooks, "POST /hooks/carrier", open=True)],
    timeout=timedelta(seconds=20),
    memory=1024,
    sends_to=[mails],
    writes=[labels],
    calls=[carrier],
)
watch_function = Function(
    "watch",
    "shop.functions.watch:handler",
    watcher,
    triggers=[
        OnChange(
            Orders, entities=[Order, Review], events=["INSERT", "MODIFY"], batch=10, retries=3
        ),
        OnChange(Stock, entities=[Thing], events=["MODIFY"]),
    ],
)
nightly_function = Function(
    "nightly",
    "shop.functions.nightly:handler",
    watcher,
    triggers=[Schedule("cron(0 3 * * ? *)"), Schedule("rate(5 minutes)")],
    timeout=timedelta(minutes=5),
    reads=[labels],
    writes=[reports],
)
