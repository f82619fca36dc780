"""Every attack happens, and what anybody notices fails the run."""

from pathlib import Path

import pytest
from benchmarks.attack.arena import Arena, Attack, CannotAttackError, Notice
from benchmarks.attack.attackers import ATTACKS
from benchmarks.attack.bench import Outcome, Trial, hold, plan
from benchmarks.attack.polite import Experience
from benchmarks.attack.server import FILE_TWO, MEMORY, Server

from benchmarks.attack import __main__ as command
from benchmarks.attack import attackers


def outcome(*notices: Notice, polite: tuple[str, ...] = (), missing: str = "") -> Outcome:
    trial = Trial("hostile-http", ATTACKS["hostile-http"], FILE_TWO)
    experience = Experience(12_345, 19.99, list(polite))
    return Outcome(trial, 123_456, experience, 1234.0, notices, missing)


def test_every_attacker_is_registered() -> None:
    files = Path(attackers.__file__).parent.glob("[a-z]*.py")

    assert {name.replace("-", "_") for name in ATTACKS} == {file.stem for file in files}


def test_a_short_run_has_every_attack_once() -> None:
    trials, seconds = plan(ATTACKS, 60, overhead=3, shortest=2)

    assert [trial.name for trial in trials] == list(ATTACKS)
    assert seconds == 2


def test_a_longer_run_has_every_attack_on_every_kind_of_server() -> None:
    trials, seconds = plan(ATTACKS, 600, overhead=3, shortest=2)

    assert len(trials) == sum(len(attack.settings) for attack in ATTACKS.values())
    assert seconds * len(trials) + 3 * len(trials) == pytest.approx(600)


def test_the_report_fits_a_terminal() -> None:
    assert max(map(len, command.report([outcome()]).splitlines())) <= 80


def test_whatever_is_noticed_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)

    assert not command.is_noticed(outcome())
    assert command.is_noticed(outcome(polite=("a wait",)))
    assert command.is_noticed(outcome(Notice("status 500", b"POST")))
    assert not command.is_noticed(outcome(missing="chromium"))

    monkeypatch.setenv("CI", "true")
    assert command.is_noticed(outcome(missing="chromium"))


def test_what_was_noticed_is_printed_with_its_request_and_the_seed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(*_: object) -> Outcome:
        return outcome(Notice("status 500", b"POST /"))

    monkeypatch.setattr(command, "hold", failing)
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "FOLDER", tmp_path)

    status = command.main(["--seed", "17", "--only", "hostile-http"])

    printed = capsys.readouterr().out
    assert status == 1
    assert "status 500" in printed
    assert "POST /" in printed
    assert "--seed 17 --only hostile-http" in printed


def test_a_line_in_the_log_tells_of_a_fault(tmp_path: Path) -> None:
    server = Server(MEMORY, tmp_path)
    server.log.write_text("A worker ended\nTraceback (most recent call last):\n  boom\n")

    assert server.faults() == ["Traceback (most recent call last):\n  boom"]


@pytest.mark.acceptance
def test_a_polite_client_notices_an_attack_that_succeeds(tmp_path: Path) -> None:
    async def kill(arena: Arena) -> None:
        arena.server.kill()
        arena.server.start()

    held = hold(Trial("kill", Attack(kill), MEMORY), 1, "seed", tmp_path)

    assert held.polite.notices


@pytest.mark.acceptance
def test_an_attack_that_cannot_happen_says_why(tmp_path: Path) -> None:
    async def lack(_: Arena) -> None:
        raise CannotAttackError("no browser")

    held = hold(Trial("lack", Attack(lack), MEMORY), 1, "seed", tmp_path)

    assert held.missing == "no browser"
    assert held.polite.notices == []
    assert held.polite.requests > 0
