"""The costs of clients as tables, and compared with sortkey's targets."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.figures import Series, Target, ratio
from benchmarks.table import EVEN, Cell, Table, times

OPERATIONS = {"get": "get", "put": "put", "update": "update, if", "query": "query of 100"}
CPU_TITLE = "Clients over HTTP, CPU time of the client"
WALL_TITLE = "Clients over HTTP, wall time including the server"


@dataclass(frozen=True, slots=True)
class Client:
    """A client, the program that runs it, and the variant of sortkey that it is compared with."""

    name: str
    program: str
    manner: str = "blocking"
    rival: str = ""


BLOCKING, AWAITED, UVLOOP = "sortkey", "sortkey async", "sortkey uvloop"
MEMORY, FILE, LOCAL = "sortkey, memory", "sortkey, a file", "boto3 to DynamoDB Local"
CLIENTS = (
    Client(BLOCKING, "sortkey_client"),
    Client("boto3 client", "boto3_client", rival=BLOCKING),
    Client("boto3 resource", "boto3_resource", rival=BLOCKING),
    Client("PynamoDB", "pynamodb_client", rival=BLOCKING),
    Client("pydynantic", "pydynantic_client", rival=BLOCKING),
    Client("pydynox", "pydynox_client", rival=BLOCKING),
    Client(AWAITED, "sortkey_client", "asyncio"),
    Client("aiodynamo", "aiodynamo_client", "asyncio", rival=AWAITED),
    Client("pydynox async", "pydynox_client", "asyncio", rival=AWAITED),
    Client(UVLOOP, "sortkey_client", "uvloop"),
    Client("aiodynamo uvloop", "aiodynamo_client", "uvloop", rival=UVLOOP),
)
_NOTES = (
    "boto3 and aiodynamo have no models: their records are made with Pydantic",
    "pydynox's update returns nothing; the others return the updated record",
)
_ON_BOTO3 = ("boto3 client", "boto3 resource", "PynamoDB")
_ON_BOTO3_GET = 4.0
_ON_BOTO3_QUERY = 5.0
_LEVEL = 0.95
_PYDYNOX_UPDATE = 1.5
_EMBEDDED_GET = 25.0


@dataclass(frozen=True, slots=True)
class Costs:
    """Microseconds of one operation, by operation and then by client."""

    cpu: Mapping[str, Mapping[str, Series]]
    wall: Mapping[str, Mapping[str, Series]]


def clients_tables(costs: Costs) -> list[Table]:
    """Return the tables of the clients' CPU time and of their wall time."""
    rivals = {client.name: client.rival for client in CLIENTS if client.rival}
    return [
        _costs_table(CPU_TITLE, costs.cpu, rivals, _NOTES),
        _costs_table(WALL_TITLE, costs.wall, rivals),
    ]


def embedded_table(costs: Costs) -> Table:
    """Return the table of operations in process, and through boto3 on DynamoDB Local."""
    return _costs_table("sortkey in process, wall time", costs.wall, {LOCAL: MEMORY})


def client_targets(costs: Costs) -> list[Target]:
    """Return the targets for the CPU time of clients, and for the narrowest lead by the clock."""
    floors = [
        *((BLOCKING, peer, "get", _ON_BOTO3_GET) for peer in _ON_BOTO3),
        *((BLOCKING, peer, "query", _ON_BOTO3_QUERY) for peer in _ON_BOTO3),
        *((AWAITED, "aiodynamo", operation, _LEVEL) for operation in OPERATIONS),
        *(
            (BLOCKING, "pydynox", operation, _PYDYNOX_UPDATE if operation == "update" else _LEVEL)
            for operation in OPERATIONS
        ),
        *((AWAITED, "pydynox async", operation, _LEVEL) for operation in OPERATIONS),
        *((UVLOOP, "aiodynamo uvloop", operation, _LEVEL) for operation in OPERATIONS),
    ]
    return [
        *(
            _at_least(f"{OPERATIONS[op]}: CPU against {peer}", costs.cpu[op], ours, peer, floor)
            for ours, peer, op, floor in floors
        ),
        _at_least(
            "update, if: time against pydynox", costs.wall["update"], BLOCKING, "pydynox", 1.0
        ),
    ]


def embedded_targets(costs: Costs) -> list[Target]:
    """Return the target for a get in process."""
    promise = "get: in process against boto3 at DynamoDB Local"
    return [_at_least(promise, costs.wall["get"], MEMORY, LOCAL, _EMBEDDED_GET)]


def _at_least(
    promise: str, row: Mapping[str, Series], ours: str, peer: str, floor: float
) -> Target:
    return Target(promise, ratio(row[peer], row[ours]), "x", at_least=floor)


def _costs_table(
    title: str,
    costs: Mapping[str, Mapping[str, Series]],
    rivals: Mapping[str, str],
    notes: tuple[str, ...] = (),
) -> Table:
    names = list(dict.fromkeys(name for row in costs.values() for name in row))
    faster = [
        f"{name} is cheaper than {ours} at {OPERATIONS[operation]}: {times(factor)}"
        for operation, row in costs.items()
        for name, ours in rivals.items()
        if (factor := ratio(row[name], row[ours])) < EVEN
    ]
    return Table(
        title=title,
        columns=("microseconds", *(OPERATIONS[operation] for operation in costs)),
        rows=tuple(
            (Cell(name), *(_cell(row, name, rivals.get(name)) for row in costs.values()))
            for name in names
        ),
        notes=(*faster, *notes),
    )


def _cell(row: Mapping[str, Series], name: str, rival: str | None) -> Cell:
    series = row[name]
    shown = f"{series.median:,.0f} ±{series.spread:.0%}"
    return Cell(shown, times(ratio(series, row[rival])) if rival else "")
