"""Messages between a run and its functions arrive whole, or not at all."""

from io import BytesIO
from typing import Any

import pytest

from sortkey.local.frames import read_frame, write_frame


def test_messages_are_read_as_they_were_written() -> None:
    pipe = BytesIO()
    messages: list[Any] = [{"event": {"text": "Ådne"}}, [], None, "x" * 100_000]
    for each in messages:
        write_frame(pipe, each)
    pipe.seek(0)

    assert [read_frame(pipe) for _ in range(3)] == [{"event": {"text": "Ådne"}}, [], None]
    assert len(read_frame(pipe)) == 100_000


@pytest.mark.parametrize("kept", [0, 2, 6])
def test_the_end_of_a_pipe_is_told_apart_from_a_message(kept: int) -> None:
    pipe = BytesIO()
    write_frame(pipe, {"a": 1})

    with pytest.raises(EOFError):
        read_frame(BytesIO(pipe.getvalue()[:kept]))
