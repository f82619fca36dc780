"""A server starts a service from its settings, or says what is wrong and exits."""

import os
import signal
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from socket import create_server

import pytest
from tests.systems.api.issuer import Issuer
from tests.systems.api.serving import environment_of, signed_in

pytestmark = pytest.mark.acceptance

COMMAND = [
    sys.executable,
    "-m",
    "uvicorn",
    "sortkey_systems.oneonone.asgi:app",
    "--no-proxy-headers",
]


def start(folder: Path, *options: str, **environ: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *options],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sys.path), **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_wrong_settings_are_one_message_and_a_status(tmp_path: Path) -> None:
    with start(tmp_path, LOG_FORMAT="xml", SORTKEY_CURSOR_SECRET=" ") as server:
        output, _ = server.communicate(timeout=60)

    assert server.returncode == 3
    assert "Traceback" not in output
    assert "ERROR:    8 settings are missing or wrong:\n  ISSUER is not set\n" in output
    assert "LOG_FORMAT is 'xml', but must be 'text' or 'json'" in output


def test_settings_can_be_in_a_file(tmp_path: Path, issuer: Issuer) -> None:
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {**environment_of("oneonone", issuer), "SORTKEY_TARGET": "calls.db"}
    lines = [f"{name}={value}" for name, value in settings.items()]
    (tmp_path / ".env").write_text("\n".join(lines))
    with start(tmp_path, "--port", str(port)) as server:
        status = 0
        while server.poll() is None and status != 200:
            time.sleep(0.1)
            connection = HTTPConnection("127.0.0.1", port, timeout=20)
            try:
                connection.request("GET", "/me", headers=signed_in(issuer))
                status = connection.getresponse().status
            except OSError:
                pass
            finally:
                connection.close()
        server.send_signal(signal.SIGTERM)
        output, _ = server.communicate(timeout=60)

    assert status == 200, output
    assert "Traceback" not in output
    assert "GET /me 200" in output
    assert (tmp_path / "calls.db").exists()
