"""``sortkey demo``: a database filled with one system's records."""

import json
import re
import shlex
import signal
import socket
import subprocess
import sys
from importlib import import_module
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner, Result

import sortkey_systems
from sortkey import DB, BadCursor
from sortkey.cli.commands.demo import GROUP
from sortkey.cli.main import main
from sortkey.operations.cursor import CursorCipher
from sortkey_systems.api.serving import Trial, TrialRequest
from sortkey_systems.shuttle.design.shops import shops_by_install_date
from sortkey_systems.shuttle.design.table import Shuttle

# The command of the same name hides it.
demo_module = import_module("sortkey.cli.commands.demo")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("SORTKEY_KEYS", "SORTKEY_CURSOR_SECRET"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def demo(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["demo", *arguments])


def test_it_prints_how_many_records_of_each_kind_it_wrote() -> None:
    done = demo("shuttle", "--users", "3")

    assert done.exit_code == 0
    assert re.search(r"records of 3 users are in shuttle\.db:\n(.*\n)*\s+3  Shop\n", done.output)
    assert done.output.endswith("To try its HTTP API: sortkey demo shuttle --api\n")


def test_secrets_are_read_with_the_key_that_it_made(monkeypatch: pytest.MonkeyPatch) -> None:
    done = demo("shuttle", "--users", "3")
    made = re.search(r"SORTKEY_KEYS=(\S+)", done.output)
    assert made
    monkeypatch.setenv("SORTKEY_KEYS", made[1])

    with DB.connect(Shuttle, target="shuttle.db") as db:
        shops = db(shops_by_install_date())
        assert [(shop.access_token or "")[:6] for shop in shops] == ["shpat_"] * 3


def test_a_key_that_is_named_is_used_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORTKEY_KEYS", f"mine={'A' * 43}=")

    done = demo("shuttle", "--users", "1")

    assert done.exit_code == 0
    assert "SORTKEY_KEYS" not in done.output


def test_a_file_that_is_there_is_left_alone(folder: Path) -> None:
    (folder / "shuttle.db").write_text("mine")

    done = demo("shuttle")

    assert done.exit_code == 2
    assert "shuttle.db already exists" in done.output
    assert (folder / "shuttle.db").read_text() == "mine"


def test_the_help_says_what_each_system_is() -> None:
    done = demo("--help")

    output = " ".join(done.output.split())
    assert "shuttle Inavor Shuttle: bulk product import for online shops, on one table." in output
    assert "oneonone One-on-One: language learners are matched in pairs" in output


def test_every_package_that_generates_data_is_offered() -> None:
    packages = {
        module.name
        for module in iter_modules(sortkey_systems.__path__)
        if find_spec(f"sortkey_systems.{module.name}.generator")
    }

    assert entry_points(group=GROUP).names == packages


def nothing_offered(group: str) -> EntryPoints:
    return EntryPoints(())


class TestWithoutTheSystems:
    @pytest.fixture(autouse=True)
    def none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(f"{demo_module.__name__}.entry_points", nothing_offered)

    def test_it_says_what_to_install(self) -> None:
        done = demo("oneonone")

        assert done.exit_code == 2
        assert "Error: The example systems are a package of their own" in done.output
        assert "pip install sortkey-systems" in done.output

    def test_so_does_its_help(self) -> None:
        done = demo("--help")

        assert done.exit_code == 0
        assert "pip install sortkey-systems" in " ".join(done.output.split())


def test_a_system_that_cannot_be_imported_does_not_hide_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = EntryPoint("broken", "there.is.no.such", GROUP)
    offered = EntryPoints((*entry_points(group=GROUP), broken))

    def offer(group: str) -> EntryPoints:
        return offered

    monkeypatch.setattr(f"{demo_module.__name__}.entry_points", offer)

    output = " ".join(demo("--help").output.split())

    assert "broken cannot be imported: No module named 'there'" in output
    assert "shuttle Inavor Shuttle" in output


def test_a_package_named_systems_is_not_in_the_way(folder: Path) -> None:
    (folder / "systems").mkdir()
    (folder / "systems/__init__.py").write_text("raise AssertionError('imported')")

    command = [sys.executable, "-m", "sortkey", "demo", "oneonone", "--users", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "records of 2 users are in oneonone.db" in done.stdout


def test_a_missing_module_is_named(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setitem(sys.modules, "sortkey_systems.shuttle.generator", None)

    done = demo("shuttle")

    assert done.exit_code == 2
    assert "Error: shuttle needs more packages: pip install 'sortkey-systems' (" in done.output
    assert list(folder.iterdir()) == []


def test_a_system_that_is_not_there_is_refused_with_those_that_are() -> None:
    done = demo("nothing")

    assert done.exit_code == 2
    assert "there is no system 'nothing': the systems are agentcore, commitcollect" in done.output


def test_every_printed_request_is_answered_to_whom_its_token_names(folder: Path) -> None:
    command = [sys.executable, "-m", "sortkey", "demo", "oneonone", "--api", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as served:
        assert served.stdout
        output = b"".join(iter(served.stdout.readline, b"Press Ctrl+C to stop.\n")).decode()
        tokens = dict(re.findall(r"^# \S+\n(TOKEN\d)=(\S+)$", output, re.MULTILINE))
        commands = re.findall(r"^# (\S+): .+\n(curl (?:.+\n)+)", output, re.MULTILINE)
        assert "These tokens are for this demo only" in output
        wide = [line for line in output.splitlines() if len(line) > 80]
        assert [line for line in wide if not re.match(r"TOKEN|  http", line)] == []
        answers = [(name, answered(curl, tokens)) for name, curl in commands]
        served.send_signal(signal.SIGINT)
        _, errors = served.communicate()
        assert served.returncode == 0
        assert b"Traceback" not in errors
    assert answers
    for name, answer in answers:
        assert answer["user_id"] == name
    assert list(folder.iterdir()) == []


def answered(curl: str, tokens: dict[str, str]) -> Any:
    """Send what a printed command would send."""
    for name, token in tokens.items():
        curl = curl.replace(f"${name}", token)
    words = shlex.split(curl)
    assert words.pop(0) == "curl"
    options = dict(zip(words[:-1:2], words[1:-1:2], strict=True))
    key, _, value = options["-H"].partition(": ")
    request = Request(words[-1], headers={key: value}, method=options.get("-X", "GET"))
    with urlopen(request) as answer:
        return json.load(answer)


@pytest.mark.parametrize(
    ("method", "body", "printed"),
    [
        ("GET", None, 'curl -H "authorization: Bearer $TOKEN1" http://a/b'),
        ("POST", None, 'curl -X POST -H "authorization: Bearer $TOKEN1" http://a/b'),
        (
            "POST",
            {"name": "an hour"},
            (
                'curl -X POST -H "authorization: Bearer $TOKEN1" \\\n'
                "  -H 'content-type: application/json' \\\n"
                '  -d \'{"name": "an hour"}\' \\\n'
                "  http://a/b"
            ),
        ),
        (
            "PUT",
            {"name": "an hour", "text": "a text with so many words"},
            (
                'curl -X PUT -H "authorization: Bearer $TOKEN1" \\\n'
                "  -H 'content-type: application/json' \\\n"
                "  -d '{\n"
                '  "name": "an hour",\n'
                '  "text": "a text with so many words"\n'
                "}' \\\n"
                "  http://a/b"
            ),
        ),
    ],
)
def test_a_request_is_printed_as_a_command_for_a_shell(
    method: str, body: dict[str, str] | None, printed: str
) -> None:
    request = TrialRequest("ann", method, "/b", "it is there", body)

    assert demo_module.curl_command(request, "TOKEN1", "http://a") == printed


@pytest.mark.parametrize("secret", [None, "mine"])
def test_an_api_encrypts_its_cursors_with_a_new_or_the_named_secret(
    monkeypatch: pytest.MonkeyPatch, secret: str | None
) -> None:
    ciphers: list[CursorCipher] = []

    def serve(trial: Trial, _listening: socket.socket) -> None:
        ciphers.append(trial.app.state.db._context.cursors)

    monkeypatch.setattr(demo_module, "_serve", serve)
    if secret is not None:
        monkeypatch.setenv("SORTKEY_CURSOR_SECRET", secret)
    for _ in range(2):
        assert demo("oneonone", "--api", "--port", "0").exit_code == 0

    one, other = ciphers
    encrypted = one.encrypt(b"content")
    assert b"content" not in encrypted
    if secret is None:
        with pytest.raises(BadCursor):
            other.decrypt(encrypted)
    else:
        assert other.decrypt(encrypted) == b"content"


def test_a_port_that_is_taken_is_named_before_anything_is_written() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = demo("oneonone", "--api", "--port", str(port))

    assert done.exit_code == 2
    assert f"port {port} is in use: choose another with --port" in done.output
    assert "records" not in done.output


def test_what_an_api_needs_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sortkey_systems.oneonone.api", None)

    done = demo("oneonone", "--api")

    assert done.exit_code == 2
    assert "pip install 'sortkey-systems[api]'" in done.output
