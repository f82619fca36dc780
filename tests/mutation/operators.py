"""The faults that are planted, each by one operator: a node of the tree, and its edits.

They are those that people make in designs and in what is written around them. An operator knows
nothing of what would notice its fault.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from tests.mutation.names import Names, called
from tests.mutation.source import Edit, Source

Operator: TypeAlias = Callable[[ast.AST, Source, Names], Iterator[Edit]]

_SLOT = re.compile(r"\{(\w+)(?::([^}]*))?\}")
_CLOSED = {"ge": "gt", "gt": "ge", "le": "lt", "lt": "le"}
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_TYPES = {
    "TTL": "int",
    "EpochSeconds": "int",
    "Version": "int",
    "Decimal": "float",
    "int": "str",
    "str": "int",
    "bool": "str",
    "datetime": "str",
    "date": "str",
}
_OPTIONS = {"ttl", "immutable", "identity", "partition", "sort", "settings", "project"}
_LEAVES = (ast.Raise, ast.Return, ast.Continue, ast.Break)


def _templates(node: ast.AST) -> Iterator[ast.Constant]:
    if called(node) == "key" and isinstance(node, ast.Call):
        for argument in node.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument


def _rewritten(
    node: ast.AST, source: Source, change: Callable[[str], Iterable[str]]
) -> Iterator[Edit]:
    for template in _templates(node):
        text = str(template.value)
        for changed in change(text):
            if changed != text:
                yield source.replaced(template, f'"{changed}"')


def drop_slot(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A key lacks one of its fields."""

    def without(text: str) -> Iterator[str]:
        for slot in _SLOT.finditer(text):
            rest = text[: slot.start()].removesuffix("#") + text[slot.end() :]
            yield rest.removeprefix("#")

    return _rewritten(node, source, without)


def drop_padding(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A number enters a key at its natural width, a time in its default form."""

    def bare(text: str) -> Iterator[str]:
        for slot in _SLOT.finditer(text):
            if slot[2]:
                yield f"{text[: slot.start()]}{{{slot[1]}}}{text[slot.end() :]}"

    return _rewritten(node, source, bare)


def swap_slots(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """Two fields that follow each other in a key stand the other way round."""

    def swapped(text: str) -> Iterator[str]:
        for first, second in pairwise(_SLOT.finditer(text)):
            between = text[first.end() : second.start()]
            yield text[: first.start()] + second[0] + between + first[0] + text[second.end() :]

    return _rewritten(node, source, swapped)


def drop_prefix(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A key begins with its first field, and no longer with what tells it from other keys."""

    def short(text: str) -> Iterator[str]:
        slot = _SLOT.search(text)
        if slot and slot.start():
            yield text[slot.start() :]

    return _rewritten(node, source, short)


def swap_index(node: ast.AST, source: Source, names: Names) -> Iterator[Edit]:
    """A key is of another index, or a query goes by another key."""
    match node:
        case ast.Attribute(value=ast.Name(id=owner) as head, attr=name):
            for known in (names.indexes.get(owner, ()), names.keys.get(owner, ())):
                if name in known and len(known) > 1:
                    other = known[(known.index(name) + 1) % len(known)]
                    yield source.replaced(node, f"{head.id}.{other}")
        case ast.Call(func=ast.Attribute(attr="query"), args=[ast.Attribute() as key]):
            yield source.without(key, [key, *node.keywords])
        case _:
            return


def drop_binding(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A query reads more than it is asked for: one of several fields is not bound."""
    if called(node) in {"query", "load"} and isinstance(node, ast.Call) and len(node.keywords) > 1:
        for keyword in node.keywords:
            yield source.without(keyword, [*node.args, *node.keywords])


def change_range(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A range has an end more or less, is open at one side, or is everything."""
    match node:
        case ast.Call(func=ast.Attribute(value=query, attr=name), keywords=[keyword]):
            before = source.of(query)
            if name in {*_CLOSED, "between", "begins_with"}:
                yield source.replaced(node, before)
            if name in _CLOSED:
                yield source.replaced(node, f"{before}.{_CLOSED[name]}({source.of(keyword)})")
            if name == "between" and isinstance(keyword.value, ast.Tuple):
                low, high = map(source.of, keyword.value.elts)
                yield source.replaced(node, f"{before}.ge({keyword.arg}={low})")
                yield source.replaced(node, f"{before}.le({keyword.arg}={high})")
        case _:
            return


def _dropped(node: ast.AST, source: Source, names: set[str]) -> Iterator[Edit]:
    """What is called on, without the call."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in names
    ):
        yield source.replaced(node, source.of(node.func.value))


def drop_reverse(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """The oldest comes first, where the newest should."""
    return _dropped(node, source, {"reverse"})


def drop_consistently(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A read may miss what was just written."""
    return _dropped(node, source, {"consistently"})


def drop_condition(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A write happens, or a record is returned, on no condition."""
    return _dropped(node, source, {"where", "is_absent"})


def overwrite(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """What should be created takes the place of what is there."""
    match node:
        case ast.Call(func=ast.Attribute(value=record, attr="create"), args=[], keywords=[]):
            yield source.replaced(node, f"{source.of(record)}.put()")
        case _:
            return


def drop_write(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """One of several writes or reads that belong together is missing."""
    if (
        called(node) in {"transact", "finish", "merged", "write_many"}
        and isinstance(node, ast.Call)
        and len(node.args) > 1
    ):
        for argument in node.args:
            yield source.without(argument, node.args)


def drop_change(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """An update leaves a field as it was."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Attribute(value=update, attr=verb)), attr=closing
            )
        ) if (verb, closing) in {
            ("set", "to"),
            ("add", "by"),
            ("append", "items"),
            ("include", "items"),
            ("exclude", "items"),
        }:
            yield source.replaced(node, source.of(update))
        case ast.Call(func=ast.Attribute(value=update, attr="remove"), args=[ast.Lambda()]):
            yield source.replaced(node, source.of(update))
        case ast.Call(func=ast.Attribute(value=update, attr="set" | "add"), keywords=[_]):
            yield source.replaced(node, source.of(update))
        case ast.Call(func=ast.Attribute(attr="set" | "add"), keywords=fields):
            for field in fields:
                yield source.without(field, fields)
        case _:
            return


def drop_operand(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """One of several conditions that are joined is missing."""
    match node:
        case ast.BinOp(
            left=ast.Call() | ast.Compare() | ast.BinOp() as left,
            op=ast.BitAnd() | ast.BitOr(),
            right=ast.Call() | ast.Compare() | ast.BinOp() as right,
        ):
            yield source.replaced(node, f"({source.of(left)})")
            yield source.replaced(node, f"({source.of(right)})")
        case ast.BoolOp(values=values, op=op):
            word = " and " if isinstance(op, ast.And) else " or "
            for value in values:
                kept = [f"({source.of(other)})" for other in values if other is not value]
                yield source.replaced(node, f"({word.join(kept)})")
        case _:
            return


def change_comparison(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A comparison includes or excludes its bound, or holds where it should not."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for (left, right), op in zip(pairwise(sides), node.ops, strict=True):
            start, end = source.end(left), source.start(right)
            gap = source.before(Edit(start, end, ""))
            yield Edit(start, end, _with_operator(gap, _COMPARED[type(op)]))
    if isinstance(node, ast.Call) and called(node) == "not_":
        yield source.replaced(node, f"({source.of(node.args[0])})")


def _with_operator(gap: str, operator: str) -> str:
    """What stands between two operands, with parentheses kept and another operator."""
    return re.sub(r"is\s+not|not\s+in|is|in|[<>=!]=?", operator, gap, count=1)


def drop_projected(node: ast.AST, source: Source, names: Names) -> Iterator[Edit]:
    """A projection lacks a field."""
    match node:
        case ast.keyword(arg="project", value=ast.List(elts=fields)):
            for field in fields:
                yield source.without(field, fields)
        case ast.ClassDef(name=name, body=body) if name in names.shapes:
            fields = [statement for statement in body if isinstance(statement, ast.AnnAssign)]
            for field in fields[: len(fields) if len(fields) > 1 else 0]:
                yield source.replaced(field, "pass")
        case _:
            return


def change_type(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A field has another type, or lost what was said about its values."""
    match node:
        case ast.ClassDef(body=body, decorator_list=[]):
            for field in body:
                if isinstance(field, ast.AnnAssign):
                    yield from _other_types(field.annotation, source)
        case ast.Assign(value=ast.Subscript(value=ast.Name(id="Annotated")) as alias):
            yield from _other_types(alias, source)
        case _:
            return


def _other_types(annotation: ast.expr, source: Source) -> Iterator[Edit]:
    match annotation:
        case ast.Name(id=name) if name in _TYPES:
            yield source.replaced(annotation, _TYPES[name])
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            yield from _other_types(left, source)
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[of, *said])):
            yield from _other_types(of, source)
            for meta in said:
                if len(said) == 1:
                    yield source.replaced(annotation, source.of(of))
                else:
                    yield source.without(meta, [of, *said])
        case _:
            return


def drop_option(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A table, index or entity lacks something that it was declared with."""
    match node:
        case ast.ClassDef(bases=bases, keywords=keywords) if keywords:
            items: Sequence[ast.AST] = [*bases, *keywords]
        case ast.Call(args=args, keywords=keywords) if called(node) in {"gsi", "lsi"}:
            items = [*args, *keywords]
        case _:
            return
    for keyword in keywords:
        if keyword.arg in _OPTIONS:
            yield source.without(keyword, items)


def drop_grant(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A role may not do one of the things that it has to."""
    match node:
        case ast.Call(func=ast.Name(id="Role"), args=[_, ast.List(elts=granted)]):
            for pattern in granted:
                yield source.without(pattern, granted)
        case _:
            return


def negate_condition(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A decision is taken the other way round."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.comprehension(ifs=[test]):
            yield source.replaced(test, f"(not ({source.of(test)}))")
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield source.replaced(node, f"({source.of(operand)})")
        case _:
            return


def drop_guard(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """An early exit or a refusal is never taken."""
    match node:
        case ast.If(test=test, body=[*_, last], orelse=[]) if isinstance(last, _LEAVES):
            yield source.replaced(test, "False")
        case _:
            return


def drop_statement(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """Something that is only called for its effect is not called."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield source.replaced(node, "pass")


def drop_handler(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """An error that is expected is not caught."""
    if isinstance(node, ast.ExceptHandler):
        first = node.body[0]
        if not isinstance(first, ast.Raise) or first.exc is not None:
            yield Edit(source.start(first), source.end(node.body[-1]), "raise")


def change_arithmetic(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A sum is a difference, a product a quotient, the least the most."""
    signs: dict[type[ast.operator], tuple[str, str]] = {
        ast.Add: ("+", "-"),
        ast.Sub: ("-", "+"),
        ast.Mult: ("*", "/"),
        ast.Div: ("/", "*"),
        ast.FloorDiv: ("//", "*"),
    }
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in signs:
            sign, other = signs[type(op)]
            start, end = source.end(left), source.start(right)
            gap = source.before(Edit(start, end, ""))
            yield Edit(start, end, gap.replace(sign, other, 1))
        case ast.Call(func=ast.Name(id="min" | "max" as name) as function):
            yield source.replaced(function, "max" if name == "min" else "min")
        case _:
            return


def change_constant(node: ast.AST, source: Source, _: Names) -> Iterator[Edit]:
    """A number is one more, a truth is its opposite."""
    match node:
        case ast.Constant(value=bool() as value):
            yield source.replaced(node, str(not value))
        case ast.Constant(value=int() as value):
            yield source.replaced(node, str(value + 1))
        case _:
            return


OPERATORS: dict[str, Operator] = {
    function.__name__.replace("_", "-"): function
    for function in (
        drop_slot,
        drop_padding,
        swap_slots,
        drop_prefix,
        swap_index,
        drop_binding,
        change_range,
        drop_reverse,
        drop_consistently,
        drop_condition,
        overwrite,
        drop_write,
        drop_change,
        drop_operand,
        change_comparison,
        drop_projected,
        change_type,
        drop_option,
        drop_grant,
        negate_condition,
        drop_guard,
        drop_statement,
        drop_handler,
        change_arithmetic,
        change_constant,
    )
}
