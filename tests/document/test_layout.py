"""The layout of HTML pages in a real browser: no table is wider than its place."""

import json
import os
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from html import unescape
from pathlib import Path

import pytest

from sortkey import Design
from sortkey.document.catalog import catalog
from sortkey.document.html import page_html
from sortkey.document.measured import read_report

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
ATTEMPTS = 3
SECONDS = 60
# Writes the sections whose tables are clipped to the end of the page, where --dump-dom shows them.
SCRIPT = """<script>
addEventListener('load', () => {
  const tables = [...document.querySelectorAll('.grid')];
  const clipped = tables.filter((table) => table.scrollWidth > table.clientWidth);
  const found = document.createElement('pre');
  found.id = 'clipped';
  found.textContent = JSON.stringify(clipped.map((table) => table.closest('section').id));
  document.body.append(found);
});
</script>"""

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(not BROWSER, reason="not installed, see CONTRIBUTING.md: chromium"),
]


def clipped_tables(page: str, width: int, folder: Path) -> list[str]:
    file = folder / "page.html"
    file.write_text(page + SCRIPT)
    options = (
        *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
        *("--disable-background-networking", "--disable-component-update", "--dump-dom"),
    )
    for attempt in range(ATTEMPTS):
        own = (f"--user-data-dir={folder / f'profile-{attempt}'}", f"--window-size={width},1000")
        shown = output([BROWSER, *options, *own, file.as_uri()], folder / "shown.html")
        if found := re.search(r'<pre id="clipped">(.*?)</pre>', shown):
            return json.loads(unescape(found[1]))
    pytest.fail(f"{BROWSER} did not show the page in {ATTEMPTS} attempts")


def output(command: list[str], file: Path) -> str:
    """Return what a browser prints; it is many processes, and any of them may hang."""
    with file.open("w") as printed:
        process = subprocess.Popen(
            command, stdout=printed, stderr=subprocess.DEVNULL, start_new_session=True
        )
    try:
        process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return file.read_text()


@pytest.mark.parametrize("width", [500, 1280])
def test_no_table_is_clipped_with_the_verdicts_of_prove(
    design: Design, width: int, tmp_path: Path
) -> None:
    verdicts = [
        {"aspect": aspect, "pattern": pattern.name, "outcome": "refuted", "reason": "a word " * 9}
        for pattern in design.patterns
        for aspect in ("right", "affordable", "safe")
    ]
    report = json.dumps({"version": 1, "design": design.name, "verdicts": verdicts})
    page = page_html(catalog(design, read_report(report, design.name)))

    assert clipped_tables(page, width, tmp_path) == []
