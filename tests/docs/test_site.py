"""The site: pages in the form that MkDocs needs, and no broken link."""

import re
import subprocess
from pathlib import Path

import pytest
from docs.site import navigation, prepared, write_site

ROOT = Path(__file__).parents[2]
MKDOCS = ROOT / ".envs/site/bin/mkdocs"


class TestPrepared:
    def test_a_list_begins_after_an_empty_line(self) -> None:
        assert prepared("**Learn**\n- one\n- two", "README.md") == "**Learn**\n\n- one\n- two"

    def test_an_item_that_goes_on_does_not_begin_another_list(self) -> None:
        text = "- one\n  goes on\n- two"

        assert prepared(text, "README.md") == text

    def test_a_list_within_a_list_is_set_in_by_four(self) -> None:
        assert prepared("- one\n  - two", "README.md") == "- one\n    - two"

    def test_a_bar_within_code_of_a_table_needs_no_mark(self) -> None:
        assert prepared(r"| `a \| b` | c \| d |", "README.md") == r"| `a | b` | c \| d |"

    def test_code_stays_as_it_is(self) -> None:
        text = "words\n```text\nwords\n- [a](../../nowhere)\n| `a \\| b` |\n```"

        assert prepared(text, "README.md") == text

    def test_a_link_out_of_the_site_is_only_its_text(self) -> None:
        text = "in [systems](../../systems/shuttle), [why](../why.md#here)"

        assert prepared(text, "systems/shuttle.md") == "in systems, [why](../why.md#here)"

    def test_a_page_beside_the_folder_is_found_in_the_site(self) -> None:
        text = "[Changelog](../../CHANGELOG.md)"

        assert prepared(text, "systems/shuttle.md") == "[Changelog](../changelog.md)"

    def test_a_page_from_beside_the_folder_links_into_it(self) -> None:
        text = "[versions](docs/versions.md#python), [secrets](docs/guides/secrets.md)"

        assert prepared(text, "security.md") == (
            "[versions](versions.md#python), [secrets](guides/secrets.md)"
        )

    def test_a_catalog_leads_to_its_page_for_reading(self) -> None:
        text = prepared("# A\n\nWords.\n\n- [B](#b)\n\n## B", "systems/catalog/shuttle.md")

        assert "](pages/shuttle.html)" in text
        assert "(#b)" not in text


def test_the_navigation_is_that_of_the_index() -> None:
    groups = {title: pages for group in navigation() for title, pages in group.items()}

    assert {"Tutorial": "tutorial/README.md"} in groups["Learn"]
    assert {"Release notes": "changelog.md"} in groups["Look up"]
    assert {"shuttle": "systems/catalog/shuttle.md"} in groups["Catalogs"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not MKDOCS.exists():
        pytest.skip("MkDocs is not installed: run make site-env")
    folder = tmp_path_factory.mktemp("site")
    write_site(folder)
    # Strict: a broken link or anchor fails, and so does a page that is missing in the index.
    built = subprocess.run(
        [MKDOCS, "build", "--strict", "--config-file", folder / "mkdocs.yml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder / "site"


@pytest.mark.acceptance
def test_it_is_built_without_a_broken_link(site: Path) -> None:
    assert (site / "index.html").exists()
    assert (site / "systems/catalog/pages/gymcoach.html").exists()


@pytest.mark.acceptance
def test_no_page_fetches_anything_from_elsewhere(site: Path) -> None:
    fetched = re.compile(r"<(?:script|link|img)[^>]+https?://")

    assert not [page.name for page in site.rglob("*.html") if fetched.search(page.read_text())]
