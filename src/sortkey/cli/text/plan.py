"""Plans as text: a line for each request at a glance, or everything that a plan says."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from sortkey.cli.text.layout import columns, listed, unbroken, wrapped
from sortkey.design.notation import filled
from sortkey.document.wording import SIGNS, key_text, part_text

_TOGETHER = {"transaction": "In one transaction", "batch": "In batches"}
# In the order of reading; the keys come before them.
_MEMBERS = (
    "condition",
    "update",
    "filter",
    "projection",
    "consistent",
    "order",
    "limit",
    "shards",
)


def plans_text(value: Mapping[str, Any]) -> str:
    """The plan of each pattern, with every member."""
    if not value["patterns"]:
        return f"{value['design']} has no patterns."
    return "\n\n".join("\n".join(_plan(pattern)) for pattern in value["patterns"])


def signature(pattern: Mapping[str, Any]) -> str:
    """A pattern as it is called, and what that returns."""
    if "returns" not in pattern:
        return pattern["name"]
    optional = pattern.get("optional", ())
    arguments = [
        unbroken(f"{name}: {kind} = ..." if name in optional else f"{name}: {kind}")
        for name, kind in pattern["arguments"].items()
    ]
    returns = unbroken(f" -> {pattern['returns']}")
    return f"{pattern['name']}({', '.join(arguments)}){returns}"


def expectations(pattern: Mapping[str, Any]) -> str:
    """What is expected of a pattern, beside its title."""
    page = pattern.get("page")
    return listed(
        [
            pattern["rate"]["text"] if "rate" in pattern else None,
            "fresh" if pattern.get("fresh") else None,
            f"{page} a page" if page else None,
            f"meaning by {', '.join(pattern['meaning'])}" if "meaning" in pattern else None,
        ]
    )


def glance(pattern: Mapping[str, Any], indent: int) -> Iterator[str]:
    """What a pattern does, in a line for each request."""
    if "error" in pattern:
        yield from wrapped(_no_plan(pattern), indent)
        return
    steps = pattern["steps"]
    together = _together(pattern)
    if together:
        yield f"{' ' * indent}{together}:"
    for step in steps:
        yield from wrapped(_step_line(step), indent + 2 * bool(together))


def _together(pattern: Mapping[str, Any]) -> str | None:
    """How several requests belong together."""
    merged = "Merged in one order" if len(pattern["steps"]) > 1 else None
    return _TOGETHER.get(pattern["shape"], merged)


def _no_plan(pattern: Mapping[str, Any]) -> str:
    return f"No plan: called with samples, it raised {pattern['error']}"


def _step_line(step: Mapping[str, Any]) -> str:
    where = f"{step['table']}.{step['index']}" if "index" in step else step["table"]
    what = key_text(step["key"]) if "key" in step else ", ".join(step.get("entities", ()))
    return listed(
        [
            f"{step['operation']} {where}: {what}".removesuffix(": "),
            f"where {step['filter']}" if "filter" in step else None,
            step.get("update"),
            f"if {step['condition']}" if "condition" in step else None,
            "consistent" if step.get("consistent") else None,
            "descending" if step.get("order") == "descending" else None,
            f"limit {_shown(step['limit'])}" if "limit" in step else None,
            f"only {', '.join(step['projection'])}" if "projection" in step else None,
            f"{step['shards']} shards" if "shards" in step else None,
        ]
    )


def _plan(pattern: Mapping[str, Any]) -> Iterator[str]:
    yield from wrapped(signature(pattern), 0, 4)
    yield from wrapped(pattern["title"], 4)
    if said := expectations(pattern):
        yield from wrapped(said, 4)
    if "error" in pattern:
        yield from wrapped(_no_plan(pattern), 4)
        return
    if together := _together(pattern):
        yield f"    {together}:"
    for step in pattern["steps"]:
        yield ""
        yield from _step(step)


def _step(step: Mapping[str, Any]) -> Iterator[str]:
    where = f"{step['table']}, index {step['index']}" if "index" in step else step["table"]
    entities = ", ".join(step.get("entities", ()))
    yield from wrapped(f"{step['operation']} {where}" + (f": {entities}" * bool(entities)), 4)
    rows = [(name, _key_part(name, made)) for name, made in step.get("key", {}).items()]
    item = {n: made for n, made in step.get("item", {}).items() if n not in step["key"]}
    rows += [(name, f"= {_text(made)}") for name, made in item.items()]
    rows += [(name, _shown(step[name])) for name in _MEMBERS if name in step]
    if rows:
        yield from columns(rows, 6)


def _key_part(name: str, made: Mapping[str, Any]) -> str:
    text = part_text(name, made)
    if made["op"] == "=":
        return f"= {text}"
    asked = made["range"]["op"] if "range" in made else ""
    is_told = "template" not in made or made["op"] == SIGNS.get(asked, asked)
    return text if is_told else f"{text} ({made['op']})"


def _text(value: Any) -> str:
    """A stored value: a template filled, and whatever is within others."""
    match value:
        case {"template": _, "bound": _}:
            made = cast("Mapping[str, Any]", value)
            return filled(made) + (f"; {made['shards']} shards" if "shards" in made else "")
        case {"value": held}:
            return _text(held)
        case dict():
            members = cast("dict[str, Any]", value)
            return f"{{{', '.join(f'{name}: {_text(m)}' for name, m in members.items())}}}"
        case list():
            return f"[{', '.join(map(_text, cast('list[Any]', value)))}]"
        case _:
            return _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[Any]", value)))
    return {"True": "yes", "False": "no", "None": "null"}.get(str(value), str(value))
