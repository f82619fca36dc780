"""A page can read what a server allows: so the attack sees what it should."""

import asyncio
import shutil
import subprocess
from collections.abc import Callable

import pytest
from benchmarks.attack.attackers.page import readings

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)


@pytest.mark.acceptance
@pytest.mark.skipif(not BROWSER, reason="not installed, see CONTRIBUTING.md: chromium")
def test_a_page_reads_a_server_that_allows_every_origin(
    serve: Callable[..., tuple[subprocess.Popen[str], int]],
) -> None:
    _, port = serve("--allow-origin", "*")

    read = dict(asyncio.run(readings(port, "Polite")))

    assert read["ListTables cors application/json 127.0.0.1"] == '200 {"TableNames":[]}'
    assert read["ListTables cors application/json rebound.example"] is None
