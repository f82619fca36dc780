"""What a server withstands is measured, and stands in the guide."""

from pathlib import Path

import pytest
from benchmarks.peers import PeerError, sortkey
from benchmarks.progress import Progress
from benchmarks.promises import PROBES, Contender, flip, measure

GUIDE = Path(__file__).parents[2] / "docs/guides/engine.md"
OURS = Contender(
    "sortkey",
    sortkey(),
    sortkey(file=True),
    sortkey("sortkey", "--access-key", "a", "--secret-key", "b"),
)


def test_a_server_that_fails_has_a_cell_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_server: Contender, _home: Path) -> str:
        raise PeerError("it did not start")

    monkeypatch.setitem(PROBES, "deep", ("JSON with many levels", fail))

    [[question, cell]] = measure([OURS], ["deep"], Progress()).rows

    assert question.figure == "JSON with many levels"
    assert cell.figure.startswith("failed: PeerError('it did not start')")


def test_a_bit_is_flipped_wherever_a_text_is_stored(tmp_path: Path) -> None:
    text = "0123456789abcdef" * 2
    (tmp_path / "a").write_bytes(f"--{text}--{text}".encode())

    assert flip(tmp_path, text) == 1
    assert text.encode() not in (tmp_path / "a").read_bytes()
    assert flip(tmp_path, text) == 0


def test_the_guide_has_every_row() -> None:
    guide = GUIDE.read_text()

    assert [question for question, _ in PROBES.values() if f"| {question} |" not in guide] == []


@pytest.mark.acceptance
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("machines", "no"),
        ("unknown-key", "refused, if keys are set"),
        ("deep", "status 400"),
        ("idle", "is served"),
        ("flipped", "error (5)"),
    ],
)
def test_the_row_of_this_server(name: str, expected: str, tmp_path: Path) -> None:
    assert PROBES[name][1](OURS, tmp_path) == expected
