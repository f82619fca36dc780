"""The behaviour of `AsyncDB` that differs from `DB`."""

import asyncio
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
