from benchmarks.figures import Series
from benchmarks.targets import OURS, ahead_targets, peer_targets


def _row(**rates: float) -> dict[str, Series]:
    return {name: Series((rate, rate, rate)) for name, rate in rates.items()}


def test_each_operation_is_compared_with_the_fastest_peer_that_has_it() -> None:
    measured = {
        "GetItem": _row(ours=100, slow=50, fast=125),
        "TransactWrite of 4": _row(ours=100, slow=50),
    }
    rivals = {"slow": "ours", "fast": "ours"}

    get, transact = ahead_targets(measured, rivals, "in memory")

    assert (get.figure, get.kept) == (0.8, False)
    assert (transact.figure, transact.kept) == (2.0, True)


def test_each_peer_is_compared_with_its_own_rival() -> None:
    measured = {"PutItem": _row(normal=100, full=40, syncing=30, careless=90)}

    [target] = ahead_targets(measured, {"syncing": "full", "careless": "normal"}, "on files")

    assert target.figure == 100 / 90


def test_only_engines_that_were_measured_have_targets() -> None:
    row = {OURS: Series((130.0,)), "Dynoxide": Series((100.0,))}

    [target] = peer_targets({"GetItem": row})

    assert target.promise == "GetItem against Dynoxide"
    assert target.kept
