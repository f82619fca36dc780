import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from benchmarks.client_programs.conversation import WrongAnswerError, converse, converse_async
from benchmarks.client_programs.order import ORDERS, SHOPS, Order, order_name, shop_name

Ask = Callable[..., list[Any]]


class InMemory:
    """A client whose table is a dict."""

    def __init__(self) -> None:
        self.stored: dict[tuple[str, str], Order] = {}

    def get(self, shop: str, order: str) -> Order | None:
        return self.stored.get((shop, order))

    def put(self, fields: dict[str, Any]) -> None:
        self.stored[fields["shop_id"], fields["order_id"]] = Order(**fields)

    def update(self, shop: str, order: str, status: str, note: str) -> Order:
        changed = self.stored[shop, order].model_copy(update={"status": status, "note": note})
        self.stored[shop, order] = changed
        return changed

    def query(self, shop: str) -> list[Order]:
        return [order for (name, _), order in sorted(self.stored.items()) if name == shop]


class Forgetful(InMemory):
    """A client that loses its updates."""

    def update(self, shop: str, order: str, status: str, note: str) -> Order:
        return self.stored[shop, order]


class Short(InMemory):
    """A client that returns only its first page."""

    def query(self, shop: str) -> list[Order]:
        return super().query(shop)[:50]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    def ask(client: Any, *commands: str) -> list[Any]:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{each}\n" for each in commands)))
        converse(client)
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return ask


def test_filling_writes_every_order_of_every_shop(ask: Ask) -> None:
    client = InMemory()
    ask(client, "fill")
    assert len(client.stored) == SHOPS * ORDERS
    assert client.get(shop_name(0), order_name(0))


def test_a_right_client_passes_the_check(ask: Ask) -> None:
    assert ask(InMemory(), "fill", "check") == [None, None]


@pytest.mark.parametrize("client", [Forgetful(), Short()])
def test_a_client_with_wrong_results_is_not_measured(ask: Ask, client: InMemory) -> None:
    with pytest.raises(WrongAnswerError):
        ask(client, "fill", "check")


def test_an_operation_is_done_as_often_as_fits(ask: Ask) -> None:
    _, took = ask(InMemory(), "fill", "get 0.01")
    assert took["count"] > 1
    assert took["wall"] >= 0.01


def test_awaited_clients_work_alike(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Awaited:
        def __init__(self) -> None:
            self.within = InMemory()

        async def get(self, *names: str) -> Order | None:
            return self.within.get(*names)

        async def put(self, fields: dict[str, Any]) -> None:
            self.within.put(fields)

        async def update(self, *arguments: str) -> Order:
            return self.within.update(*arguments)

        async def query(self, shop: str) -> list[Order]:
            return self.within.query(shop)

    async def opened() -> Awaited:
        return Awaited()

    monkeypatch.setattr("sys.stdin", io.StringIO("fill\ncheck\nget 0.01\n"))
    converse_async(opened)
    *_, took = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert took["count"] > 1
