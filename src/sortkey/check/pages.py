"""The reference pages of the rules: ``python -m sortkey.check.pages FOLDER`` writes them."""

import sys
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from textwrap import fill

from sortkey.check.examples import APP, PREAMBLE
from sortkey.check.rule import Rule
from sortkey.check.rules import RULES

# By the digits that their codes begin with.
GROUPS: Mapping[str, str] = {
    "1": "Declarations, keys and identity",
    "2": "Key templates",
    "3": "Expiry",
    "4": "Patterns",
    "5": "Raw requests that DynamoDB would reject",
    "6": "Safety, roles and the design as a whole",
    "7": "Writes and guarantees",
    "8": "Scale and cost",
    "9": "Changes to what is deployed",
    "95": "Sample items",
}
_WIDTH = 100


def pages() -> Iterator[tuple[str, str]]:
    """Yield each page by its file name: the list of all rules, and one for each."""
    yield "README.md", "\n".join(_index())
    yield from ((f"{rule.code}.md", "\n".join(_page(rule))) for rule in RULES)


def _index() -> Iterator[str]:
    yield "# Rules"
    yield ""
    yield fill(
        f"The {len(RULES)} rules of [`sortkey check`](../../guides/check.md), generated from the "
        "code. `sortkey explain SK201` or `sortkey explain unpadded-number` prints a page.",
        _WIDTH,
        break_on_hyphens=False,
    )
    for group, rules in groupby(RULES, group_of):
        yield from ("", f"## {GROUPS[group]}", "", "| | | |", "|---|---|---|")
        for rule in rules:
            link = f"[{rule.code}]({rule.code}.md)"
            yield f"| {link} {rule.name} | {rule.severity.value} | {rule.summary} |"
    yield from ("", "## The examples", "")
    yield fill(
        "Every example is a design that a test runs: the rule fires on the first. On the second no "
        "rule reports an error or a warning, and `sortkey prove` refutes nothing. Each begins with "
        "these imports and, if it uses `App`, with this table (without an index that it does not "
        "use). `samples` has the items of a sample file.",
        _WIDTH,
    )
    yield from ("", *_python(f"{PREAMBLE}\n\n{APP}"), "")


def group_of(rule: Rule) -> str:
    """Return the group of a rule: the longest prefix of its code."""
    digits = rule.code.removeprefix("SK")
    return max((group for group in GROUPS if digits.startswith(group)), key=len)


def _page(rule: Rule) -> Iterator[str]:
    yield from (f"# {rule.code} {rule.name}", "", f"*{rule.severity.value}*: {rule.summary}")
    for paragraph in rule.why:
        yield from ("", fill(paragraph, _WIDTH, break_on_hyphens=False, break_long_words=False))
    for title, example in (("Flagged", rule.flagged), ("Instead", rule.instead)):
        yield from ("", f"## {title}", "", *_python(example))
    yield from ("", "[All rules](README.md)", "")


def _python(text: str) -> Iterator[str]:
    yield from ("```python", text.strip("\n"), "```")


def write(folder: Path) -> None:
    """Write every page, and delete pages of removed rules."""
    made = dict(pages())
    for page in folder.glob("*.md"):
        if page.name not in made:
            page.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
