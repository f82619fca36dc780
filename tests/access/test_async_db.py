"""The behaviour of `AsyncDB` that differs from `DB`."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.access.design import App, Member

from sortkey import AlreadyExists, AsyncDB
from sortkey.wire.messages import Request


def member(member_id: str) -> Member:
    return Member(org_id="o", member_id=member_id)


def test_operations_that_run_together_have_all_ended_when_an_error_is_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: list[str] = []

    async def both() -> list[str]:
        async with AsyncDB.memory(App) as db:
            await db(member("first").create())
            carried = db._transport.send

            async def slow(request: Request) -> dict[str, Any]:
                answer = await carried(request)
                if request.body["Item"]["member_id"] == {"S": "second"}:
                    await asyncio.sleep(0.01)
                    ended.append("second")
                return answer

            monkeypatch.setattr(db._transport, "send", slow)
            with pytest.raises(AlreadyExists):
                await db.all(member("first").create(), member("second").create())
            return list(ended)

    assert asyncio.run(both()) == ["second"]


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_an_embedded_database_works_on_one_event_loop_after_another(
    kind: str, tmp_path: Path
) -> None:
    db = AsyncDB.memory(App) if kind == "memory" else AsyncDB.open(tmp_path / "app.db", App)

    async def write(number: int) -> None:
        await db.all(*[member(f"{number}-{n}").create() for n in range(8)])

    async def count() -> int:
        return len(await db(Member.scan()))

    for number in range(3):
        asyncio.run(write(number))

    assert asyncio.run(count()) == 24
    asyncio.run(db.close())
