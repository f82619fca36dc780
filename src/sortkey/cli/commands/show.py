"""``sortkey show``: a design at a glance, or the plans of its patterns."""

import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from difflib import get_close_matches
from typing import Literal

import click

from sortkey.cli.loading import design_in
from sortkey.cli.misuse import Misuse
from sortkey.cli.text.design import design_text
from sortkey.cli.text.plan import plans_text
from sortkey.design.declaring.design import Design
from sortkey.design.plans.plan import PatternPlan
from sortkey.design.plans.summary import summary_of
from sortkey.design.plans.tracing import trace
from sortkey.design.plans.value import plans_json


@click.command()
@click.argument("design")
@click.option("--plan", is_flag=True, help="Print the requests of each pattern.")
@click.option(
    "--pattern",
    "names",
    multiple=True,
    metavar="NAME",
    help="Print only the plan of this pattern; may be repeated.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Text for people, or JSON with a version for programs.",
)
def show(*, design: str, plan: bool, names: tuple[str, ...], form: Literal["text", "json"]) -> None:
    """Print a design at a glance, or the plan of each of its patterns.

    DESIGN is a Python file, the folder of a package, or the name of a module. It is imported, and
    nothing is sent anywhere: each pattern is called with sample arguments to find its requests.

    \b
    Example:
      sortkey show design.py
      sortkey show design.py --plan
      sortkey show design.py --pattern orders_by_status --format json
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    loaded = design_in(design)
    # The output of the design's own patterns must not mix with the command's.
    with redirect_stdout(sys.stderr):
        plans = _plans(loaded, names)
    only_plans = plan or bool(names)
    if form == "json":
        value = plans_json(loaded, plans) if only_plans else summary_of(loaded, plans)
        click.echo(json.dumps(value, indent=2, ensure_ascii=False))
    elif only_plans:
        click.echo(plans_text(loaded.name, plans))
    else:
        click.echo(design_text(summary_of(loaded, plans), plans))


def _plans(design: Design, names: Sequence[str]) -> list[PatternPlan]:
    """Return the plans of these patterns, or of all if none is named."""
    known = [pattern.name for pattern in design.patterns]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            meant = f"Did you mean {near[0]}?" if near else f"It has {', '.join(known) or 'none'}."
            raise Misuse(f"the design {design.name} has no pattern {name}. {meant}")
    wanted = names or known
    return [trace(pattern, design) for pattern in design.patterns if pattern.name in wanted]
