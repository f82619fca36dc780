"""``sortkey demo``: a database filled with one system's records."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from systems.shuttle.design import Shuttle, shops_by_install_date

from sortkey import DB
from sortkey.cli.main import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SORTKEY_KEYS", raising=False)
    return tmp_path


def demo(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["demo", *arguments])


def test_it_tells_how_many_records_of_each_kind_it_wrote() -> None:
    done = demo("shuttle", "--users", "3")

    assert done.exit_code == 0
    assert re.search(r"records of 3 users are in shuttle\.db:\n(.*\n)*\s+3  Shop\n", done.output)


def test_secrets_are_read_with_the_key_that_it_made(monkeypatch: pytest.MonkeyPatch) -> None:
    done = demo("shuttle", "--users", "3")
    made = re.search(r"SORTKEY_KEYS=(\S+)", done.output)
    assert made
    monkeypatch.setenv("SORTKEY_KEYS", made[1])

    with DB.connect(Shuttle, target="shuttle.db") as db:
        shops = db(shops_by_install_date())
        assert [shop.access_token[:6] for shop in shops] == ["shpat_"] * 3


def test_a_key_that_is_named_is_used_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORTKEY_KEYS", f"mine={'A' * 43}=")

    done = demo("shuttle", "--users", "1")

    assert done.exit_code == 0
    assert "SORTKEY_KEYS" not in done.output


def test_a_file_that_is_there_is_left_alone(folder: Path) -> None:
    (folder / "shuttle.db").write_text("mine")

    done = demo("shuttle")

    assert done.exit_code == 2
    assert "shuttle.db is there already" in done.output
    assert (folder / "shuttle.db").read_text() == "mine"
