"""The rules as text: all in a list, or one with its reasons and examples."""

from collections.abc import Iterable, Iterator
from textwrap import indent

from sortkey.check.rule import Rule
from sortkey.cli.text.layout import columns, wrapped


def rules_text(rules: Iterable[Rule]) -> str:
    """Return a line for each rule."""
    rows = [(rule.code, rule.severity.value, f"{rule.name}: {rule.summary}") for rule in rules]
    return "\n".join(columns(rows, 0))


def rule_text(rule: Rule) -> str:
    """Return the summary, reasons and examples of one rule."""
    return "\n".join(_lines(rule))


def _lines(rule: Rule) -> Iterator[str]:
    yield f"{rule.code} {rule.name} ({rule.severity.value})"
    for paragraph in (rule.summary, *rule.why):
        yield ""
        yield from wrapped(paragraph, 0, 0)
    for title, example in (("Flagged", rule.flagged), ("Instead", rule.instead)):
        yield from ("", f"{title}:", "", indent(example, "    "))
