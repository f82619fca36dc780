"""The layout of HTML pages in a real browser: no table is wider than its place."""

import json
import re
import shutil
import subprocess
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
    own = (f"--user-data-dir={folder / 'profile'}", f"--window-size={width},1000")
    shown = subprocess.run(
        [BROWSER, *options, *own, file.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    [found] = re.findall(r'<pre id="clipped">(.*?)</pre>', shown.stdout)
    return json.loads(unescape(found))


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
