"""The site as MkDocs builds it: ``python -m docs.site FOLDER`` writes its pages for `make site`.

The pages are written to be read in the repository. MkDocs sees only the files in its
folder, and its Markdown is stricter about lists and tables.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from os.path import relpath
from pathlib import Path
from typing import Any

from docs.reference.pages import ROOT, SYSTEMS
from sortkey import load_design
from sortkey.document.catalog import catalog
from sortkey.document.html import page_html

# Pages beside the folder that belong to the site, by their names in it.
BESIDE = {"CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md"}
CATALOGS = "systems/catalog"
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)")
_GROUP = re.compile(r"\*\*(.+)\*\*")
_ENTRY = re.compile(r"- \[(.+?)\]\((.+?)\)")
_ITEM = re.compile(r"^( *)([-*]|\d+\.) ")
_CONTENTS = re.compile(r"^ *- \[.*\]\(#.*\)\n", re.MULTILINE)
_CODE = re.compile(r"`[^`]+`")


def write_site(folder: Path) -> None:
    """Write the input of MkDocs: its configuration, and every page."""
    pages = folder / "docs"
    shutil.copytree(ROOT, pages, ignore=shutil.ignore_patterns("*.md", "*.py", "__pycache__"))
    for name, text in made_pages():
        path = pages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    inherited = relpath(ROOT.parent / "mkdocs.yml", folder)
    configuration = {"INHERIT": inherited, "docs_dir": "docs", "nav": navigation()}
    # JSON is valid YAML.
    (folder / "mkdocs.yml").write_text(json.dumps(configuration, indent=2), encoding="utf-8")


def made_pages() -> Iterator[tuple[str, str]]:
    """Yield each page with its name: Markdown for MkDocs, and the catalogs as HTML."""
    for path in sorted(ROOT.rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        yield name, prepared(path.read_text(encoding="utf-8"), name)
    for beside, name in BESIDE.items():
        yield name, prepared((ROOT.parent / beside).read_text(encoding="utf-8"), name)
    for system, module in SYSTEMS.items():
        yield f"{CATALOGS}/pages/{system}.html", page_html(catalog(load_design(module)))


def navigation() -> list[dict[str, Any]]:
    """Return the groups of the index with their pages, then catalogs and decisions."""
    groups: dict[str, list[dict[str, Any]]] = {"Start": [{"Documentation": "README.md"}]}
    for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines():
        if group := _GROUP.fullmatch(line):
            groups[group[1]] = []
        elif entry := _ENTRY.match(line):
            title, target = entry.groups()
            groups[list(groups)[-1]].append({title: _in_site(target)})
    groups["Catalogs"] = [{s: f"{CATALOGS}/{s}.md"} for s in SYSTEMS]
    decisions = sorted((ROOT / "decisions").glob("0*.md"))
    groups["Reasons"] = [{path.stem: f"decisions/{path.name}"} for path in decisions]
    return [{title: entries} for title, entries in groups.items()]


def _in_site(target: str) -> str:
    return BESIDE.get(target.removeprefix("../"), target)


def prepared(text: str, name: str) -> str:
    """Return a page in the form that MkDocs reads; ``name`` is its path."""
    return "\n".join(_lines(_with_picture(text, name).split("\n"), name))


def _with_picture(text: str, name: str) -> str:
    """Return a catalog with a link to its HTML, without the contents, which MkDocs shows."""
    folder, _, page = name.rpartition("/")
    if folder != CATALOGS:
        return text
    system = page.removesuffix(".md")
    title, _, rest = text.partition("\n")
    link = f"[As a page with pictures and a search](pages/{system}.html)"
    return f"{title}\n\n{link}\n{_CONTENTS.sub('', rest)}"


def _lines(lines: list[str], name: str) -> Iterator[str]:
    """Yield the lines, adapted to MkDocs outside of code."""
    in_code = False
    before = ""
    for line in lines:
        if line.lstrip().startswith("```"):
            in_code = not in_code
        if in_code:
            yield line
        else:
            begins_list = _ITEM.match(line) and before.strip() and not _is_of_list(before)
            yield from ("",) if begins_list else ()
            yield _link_out(_as_row(_indented(line)), name)
        before = line


def _is_of_list(line: str) -> bool:
    return bool(_ITEM.match(line)) or line.startswith("  ")


def _indented(line: str) -> str:
    """Return a line with an item of a nested list indented by four instead of two."""
    found = _ITEM.match(line)
    return f"{found[1]}{line}" if found else line


def _as_row(line: str) -> str:
    """Return a row of a table without the escapes of bars within code."""
    if not line.startswith("|"):
        return line
    return _CODE.sub(lambda code: code[0].replace("\\|", "|"), line)


def _link_out(line: str, name: str) -> str:
    """Return a line with links into the site only; other links become plain text."""
    folder = ROOT.parent if name in BESIDE.values() else (ROOT / name).parent

    def inside(link: re.Match[str]) -> str:
        text, target, anchor = link.groups()
        path = folder.joinpath(target).resolve()
        if target.startswith("pages/"):
            return link[0]
        if path.is_relative_to(ROOT):
            known = path.relative_to(ROOT).as_posix()
        else:
            known = BESIDE.get(path.relative_to(ROOT.parent).as_posix())
        if known is None:
            return text
        return f"[{text}]({relpath(known, Path(name).parent)}{anchor or ''})"

    return _LINK.sub(inside, line)


if __name__ == "__main__":
    write_site(Path(sys.argv[1]))
