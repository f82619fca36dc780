"""Applies the fix of a finding to the text of a design, as a reader would.

A fix that can be written as it is says so in one of three ways, with code in backticks:

- Write `new` instead of `old`, and give `keyword=value`
- Add `keyword=value`, to what the finding is about, or to the class that it names
- Declare `field: Type`

What follows after "or", "if" or a semicolon is another way.
"""

import ast
import re
from collections.abc import Iterator

from sortkey.design.findings import Finding

_OTHER_WAY = re.compile(r"(?<=`),? (?:or|if) |; ")
_REPLACE = re.compile(r"`([^`]+)` instead of `([^`]+)`")
_CODE = re.compile(r"`([^`]+)`")


def fixed(design: str, finding: Finding) -> str | None:
    """The design with what the fix says, or None where it has to be thought about."""
    advice = _OTHER_WAY.split(finding.fix)[0]
    code = _CODE.findall(advice)
    if not code or "..." in advice:
        return None
    name = finding.where.partition(".")[0]
    if advice.startswith("Write ") and (replaced := _REPLACE.findall(advice)):
        for new, old in replaced:
            assert f'"{old}"' in design, (old, design)
            design = design.replace(f'"{old}"', f'"{new}"', 1)
        tree = ast.parse(design)
        for written in _CODE.findall(advice.partition(", and give ")[2]):
            _add(_keywords(tree, name), written)
        return ast.unparse(tree)
    tree = ast.parse(design)
    if advice.startswith("Add "):
        named = advice.rpartition(" to `")[2].rstrip("`") if " to `" in advice else name
        for written in [one for one in code if one != named]:
            _add(_keywords(tree, named), written)
        return ast.unparse(tree)
    if advice.startswith("Declare "):
        _declare(tree, name, code[0])
        return ast.unparse(tree)
    return None


def _keywords(tree: ast.Module, name: str) -> list[ast.keyword]:
    """The keywords of a class, a pattern or a raw pattern."""
    for node in tree.body:
        match node:
            case ast.ClassDef(name=own, keywords=keywords) if own == name:
                return keywords
            case ast.FunctionDef(name=own, decorator_list=[ast.Call(keywords=keywords)]):
                if own == name:
                    return keywords
            case ast.Assign(value=ast.Call(args=[ast.Constant(value=str(title))], keywords=given)):
                if name in {_slug(title), *_names(given)}:
                    return given
            case _:
                pass
    raise AssertionError(f"nothing is called {name}")


def _names(keywords: list[ast.keyword]) -> Iterator[str]:
    for keyword in keywords:
        if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
            yield str(keyword.value.value)


def _slug(title: str) -> str:
    return re.sub(r"\W+", "_", title).strip("_").lower()


def _add(keywords: list[ast.keyword], written: str) -> None:
    """Give a call another keyword, or what it says as well."""
    call = ast.parse(f"f({written})").body[0]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    [added] = call.value.keywords
    for keyword in keywords:
        if keyword.arg != added.arg:
            continue
        match keyword.value, added.value:
            case ast.Dict(), ast.Dict():
                keyword.value.keys += added.value.keys
                keyword.value.values += added.value.values
            case ast.Call(), ast.Call():  # settings
                for one in added.value.keywords:
                    others = [k for k in keyword.value.keywords if k.arg != one.arg]
                    keyword.value.keywords = [*others, one]
            case ast.Constant(), ast.Constant() if added.arg in {"condition", "filter"}:
                both = f"({keyword.value.value}) AND ({added.value.value})"
                keyword.value = ast.Constant(both)
            case _:
                keyword.value = added.value
        return
    keywords.append(added)


def _declare(tree: ast.Module, entity: str, written: str) -> None:
    """Give a field of an entity another type."""
    [field] = ast.parse(written).body
    assert isinstance(field, ast.AnnAssign)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == entity:
            own = [isinstance(m, ast.AnnAssign) and _same(m, field) for m in node.body]
            node.body[own.index(True)] = field


def _same(one: ast.AnnAssign, other: ast.AnnAssign) -> bool:
    return ast.unparse(one.target) == ast.unparse(other.target)
