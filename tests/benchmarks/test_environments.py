from pathlib import Path
from threading import Thread

import pytest

from benchmarks import environments


@pytest.fixture
def pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path / "envs")
    pins = tmp_path / "some.txt"
    pins.write_text("some==1")
    return pins


def test_pinned_packages_are_installed_once_and_again_when_the_pins_change(pins: Path) -> None:
    installed: list[Path] = []
    for _ in range(2):
        environments.installed("some", pins, installed.append)
    assert len(installed) == 1

    pins.write_text("some==2")
    home = environments.installed("some", pins, installed.append)
    assert installed == [home, home]


def test_a_failed_installation_is_started_again(pins: Path) -> None:
    def fail(home: Path) -> None:
        (home / "half").touch()
        raise environments.MissingToolError("no network")

    with pytest.raises(environments.MissingToolError):
        environments.installed("some", pins, fail)
    found: list[list[Path]] = []
    environments.installed("some", pins, lambda home: found.append(list(home.iterdir())))
    assert found == [[]]


def test_two_concurrent_runs_install_once(pins: Path) -> None:
    made: list[str] = []

    def install_too(_: Path) -> None:
        made.append("other")

    other = Thread(target=environments.installed, args=("some", pins, install_too))

    def install(_: Path) -> None:
        other.start()
        other.join(0.2)  # it waits for this installation and uses it
        made.append("own")

    environments.installed("some", pins, install)
    other.join()
    assert made == ["own"]
