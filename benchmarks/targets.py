"""The targets for sortkey's speed, compared with the measured figures."""

from collections.abc import Iterable, Mapping

from benchmarks.figures import Measured, Series, Target, ratio

OURS = "sortkey"
ONE_WORKER = "1 worker"
TWO_WORKERS = "2 workers"
_READS = ("GetItem", "Query of 50")
_COMPARED = ("GetItem", "PutItem", "Query of 50")
_AGAINST_LOCAL = {"GetItem": 2.5, "PutItem": 2.0, "Query of 50": 3.0}


def peer_targets(measured: Measured) -> list[Target]:
    """Return the targets for the engines in memory."""
    floors = [
        *(("DynamoDB Local", operation, _AGAINST_LOCAL[operation]) for operation in _COMPARED),
        ("Dynoxide", "GetItem", 1.3),
        *(("dynalite", operation, 1.0) for operation in _COMPARED),
        *(("moto", operation, 20.0) for operation in _COMPARED),
    ]
    return [
        _at_least(f"{operation} against {peer}", measured[operation], peer, floor)
        for peer, operation, floor in floors
        if {OURS, peer} <= measured.get(operation, {}).keys()
    ]


def ahead_targets(measured: Measured, rivals: Mapping[str, str], where: str) -> list[Target]:
    """Return a target for each operation: no engine is faster than the one it is compared with."""
    return [
        Target(
            promise=f"{operation} {where} against the fastest peer",
            figure=min(
                ratio(row[ours], row[peer])
                for peer, ours in rivals.items()
                if {ours, peer} <= row.keys()
            ),
            unit="x",
            at_least=1.0,
        )
        for operation, row in measured.items()
    ]


def worker_targets(measured: Measured) -> list[Target]:
    """Return the targets for reads with a second worker; writes share one lock."""
    return [
        Target(
            promise=f"{operation}, two workers against one",
            figure=ratio(row[TWO_WORKERS], row[ONE_WORKER]),
            unit="x",
            at_least=1.3,
        )
        for operation, row in measured.items()
        if operation in _READS
    ]


def missed(targets: Iterable[Target]) -> list[Target]:
    """Return the targets that were missed."""
    return [target for target in targets if not target.kept]


def _at_least(promise: str, row: Mapping[str, Series], peer: str, floor: float) -> Target:
    return Target(promise, ratio(row[OURS], row[peer]), "x", at_least=floor)
