"""``sortkey docs``: the page is printed or written, and a stale one is reported."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sortkey.cli.main import main

ROOT = Path(__file__).parents[3]
SHOP = ROOT / "tests/design/designs/shop.py"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def docs(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["docs", *map(str, arguments)])


def test_the_page_is_printed() -> None:
    result = docs(SHOP)

    assert result.exit_code == 0
    assert result.stdout.startswith("# shop: item catalog\n")


def test_the_page_is_written_as_it_would_be_printed() -> None:
    written = docs(SHOP, "--out", "catalog.md")

    assert (written.exit_code, written.output) == (0, "")
    assert Path("catalog.md").read_text() == docs(SHOP).stdout


class TestHtml:
    def test_the_format_is_taken_from_the_name_of_the_file(self) -> None:
        docs(SHOP, "--out", "catalog.html")

        assert Path("catalog.html").read_text() == docs(SHOP, "--format", "html").stdout
        assert docs(SHOP, "--out", "catalog.html", "--check").exit_code == 0

    def test_a_format_that_is_given_goes_before_the_name(self) -> None:
        docs(SHOP, "--out", "catalog.html", "--format", "markdown")

        assert Path("catalog.html").read_text() == docs(SHOP).stdout

    def test_a_file_name_without_a_known_ending_is_rejected(self) -> None:
        refused = docs(SHOP, "--out", "catalog.pdf")
        result = docs(SHOP, "--out", "catalog", "--format", "markdown")

        assert refused.exit_code == 2
        assert "catalog.pdf ends in neither .md nor .html" in refused.output
        assert not Path("catalog.pdf").exists()
        assert (result.exit_code, Path("catalog").read_text()) == (0, docs(SHOP).stdout)


class TestChecking:
    def test_a_page_that_is_current_passes(self) -> None:
        docs(SHOP, "--out", "catalog.md")

        checked = docs(SHOP, "--out", "catalog.md", "--check")

        assert (checked.exit_code, checked.output) == (0, "")

    def test_a_stale_page_fails_with_what_differs_and_stays_as_it_is(self) -> None:
        docs(SHOP, "--out", "catalog.md")
        page = Path("catalog.md")
        changed = page.read_text().replace("Everything the shop stores.", "Everything.")
        page.write_text(changed)

        checked = docs(SHOP, "--out", "catalog.md", "--check")

        assert checked.exit_code == 1
        assert "\n-Everything.\n+Everything the shop stores.\n" in checked.output
        assert f"To write it: sortkey docs {SHOP} --out catalog.md" in checked.output
        assert page.read_text() == changed

    def test_a_page_that_is_missing_is_stale(self) -> None:
        checked = docs(SHOP, "--out", "catalog.md", "--check")

        assert checked.exit_code == 1
        assert checked.output.startswith("catalog.md does not exist.\n")

    def test_there_must_be_a_page_to_check(self) -> None:
        checked = docs(SHOP, "--check")

        assert checked.exit_code == 2
        assert "--out FILE" in checked.output


class TestReports:
    def test_the_verdicts_of_prove_are_shown_with_each_pattern(self) -> None:
        aspects = ("--aspect", "right", "--aspect", "affordable", "--aspect", "lossless")
        proved = CliRunner().invoke(
            main, ["prove", str(SHOP), "--tries", "3", "--format", "json", *aspects]
        )
        Path("prove.json").write_text(proved.stdout)

        page = docs(SHOP, "--report", "prove.json").stdout

        [line] = [line for line in page.splitlines() if line.startswith("| **session**")]
        assert "<br>Proved right and affordable<br>0.5 read units; constant |" in line
        assert "Proved lossless" in page

    def test_a_stale_page_is_written_again_with_the_same_options(self) -> None:
        Path("prove.json").write_text('{"version": 1, "design": "shop", "verdicts": []}')

        checked = docs(
            SHOP, "--out", "page", "--format", "html", "--report", "prove.json", "--check"
        )

        again = f"sortkey docs {SHOP} --out page --format html --report prove.json"
        assert checked.output.endswith(f"To write it: {again}\n")

    def test_a_report_of_another_design_is_misuse(self) -> None:
        Path("prove.json").write_text('{"version": 1, "design": "other", "verdicts": []}')

        result = docs(SHOP, "--report", "prove.json")

        assert result.exit_code == 2
        assert "the report is about other, but the design is shop" in result.output


def test_output_of_the_design_is_not_part_of_the_page() -> None:
    Path("loud.py").write_text(
        "from sortkey import Entity, Op, Table, pattern\n"
        "print('loading')\n"
        "class App(Table): ...\n"
        "class Note(Entity, table=App):\n"
        "    note_id: str\n"
        "    primary = App.primary.key('NOTE#{note_id}', 'NOTE')\n"
        "@pattern('A note')\n"
        "def note(note_id: str) -> Op[Note | None]:\n"
        "    print('asking')\n"
        "    return Note.get(note_id=note_id)\n"
    )

    result = docs("loud.py")

    assert result.stdout.startswith("# loud: item catalog\n")
    assert "asking" not in result.stdout


def test_a_design_that_cannot_be_loaded_is_misuse() -> None:
    assert docs("nowhere.py").exit_code == 2
