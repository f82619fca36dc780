"""``sortkey explain``: explain a rule of ``check``."""

from difflib import get_close_matches

import click

from sortkey.check.rule import Rule
from sortkey.check.rules import RULES
from sortkey.cli.misuse import Misuse
from sortkey.cli.text.rules import rule_text, rules_text


@click.command()
@click.argument("rule", required=False)
def explain(*, rule: str | None) -> None:
    """Explain a rule of `check`, with an example.

    RULE is a code or a name; without one, all rules are listed.

    \b
    Example:
      sortkey explain
      sortkey explain SK201
      sortkey explain unpadded-number
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    click.echo(rules_text(RULES) if rule is None else rule_text(_named(rule)))


def _named(name: str) -> Rule:
    known = {key: rule for rule in RULES for key in (rule.code.lower(), rule.name)}
    found = known.get(name.lower())
    if found is None:
        near = get_close_matches(name.lower(), known, 1)
        meant = f" Did you mean {known[near[0]].code} {known[near[0]].name}?" if near else ""
        raise Misuse(f"there is no rule {name}.{meant} `sortkey explain` lists them all.")
    return found
