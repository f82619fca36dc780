"""A small application with one of everything that `sortkey run` starts."""

from datetime import timedelta
from typing import Annotated

from sortkey import (
    Alarms,
    Bucket,
    Entity,
    ExternalService,
    Function,
    HttpApi,
    OnChange,
    OnMessage,
    Op,
    Queue,
    Role,
    Route,
    Schedule,
    Setting,
    Settings,
    Table,
    pattern,
    secret,
)


class Depot(Table, settings=Settings(stream="NEW_AND_OLD_IMAGES", alarms=Alarms())):
    pass


class Parcel(Entity, table=Depot):
    parcel_id: str
    owner: str
    phone: Annotated[str | None, secret] = None
    primary = Depot.primary.key("PARCEL#{parcel_id}", "PARCEL")


class Count(Entity, table=Depot):
    name: str
    number: int = 0
    primary = Depot.primary.key("COUNT#{name}", "COUNT")


@pattern("a parcel")
def parcel(parcel_id: str) -> Op[Parcel | None]:
    return Parcel.get(parcel_id=parcel_id)


ISSUER = Setting("ISSUER", "Who signs the tokens")
AUDIENCE = Setting("AUDIENCE", "Whom the tokens are for")
GREETING = Setting("GREETING", "What the API says", default="Hello")
CARRIER_URL = Setting("CARRIER_URL", "The address of the carrier")
CARRIER_KEY = Setting("CARRIER_KEY", "The key of the carrier", secret=True)

api = HttpApi(issuer=ISSUER, audience=AUDIENCE, origins=("https://depot.example",))
sent = Queue("sent-parcels", invisible=timedelta(minutes=2), deliveries=2)
labels = Bucket("labels")
carrier = ExternalService("carrier", "depot.carrier:fake", (CARRIER_URL, CARRIER_KEY))
clerk = Role("clerk", [parcel])

functions = [
    Function(
        "parcels",
        "depot.handlers:parcels",
        clerk,
        triggers=[
            Route(api, "GET /"),
            Route(api, "POST /parcels"),
            Route(api, "GET /parcels/{parcel_id}"),
            Route(api, "POST /hooks/carrier", open=True),
            Route(api, "POST /trouble/{kind}", open=True),
        ],
        timeout=timedelta(seconds=2),
        environment={"GREETING": GREETING},
        sends_to=[sent],
        reads=[labels],
        calls=[carrier],
    ),
    Function(
        "labels",
        "depot.handlers:print_labels",
        clerk,
        triggers=[OnMessage(sent)],
        writes=[labels],
    ),
    Function(
        "counter",
        "depot.handlers:count",
        clerk,
        triggers=[OnChange(Depot, entities=[Parcel], events=["INSERT"], retries=1)],
    ),
    Function("sweeper", "depot.handlers:sweep", clerk, triggers=[Schedule("rate(1 hour)")]),
]
parcels_function, labels_function, counter_function, sweeper_function = functions
