"""Generated functions of patterns, of which it is known what they make of their arguments."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Literal
from uuid import uuid4

from hypothesis import strategies as st
from pydantic import BaseModel

from sortkey import Entity, Op, Table, pattern, utc_now
from sortkey.clock import clock
from sortkey.design.declaring.design import Design, design_of
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.drawing import TURNS
from sortkey.design.plans.drawn import Drawn
from sortkey.design.plans.sources import NOW
from sortkey.design.plans.tracing import valid_call

Arguments = Mapping[str, Any]
Kind = Literal["x", "y", "z", "w", "v"]


class Inner(BaseModel):
    name: str
    count: int
    on: bool


class Shop(Table):
    pass


class Thing(Entity, table=Shop):
    owner: str
    thing_id: str
    text: str
    number: int
    tags: list[str]
    meta: dict[str, int]
    at: datetime
    primary = Shop.primary.key("OWNER#{owner}", "THING#{thing_id}")


DESIGN: Design = design_of("shop", [])

SIGNATURE: dict[str, Any] = {
    "a": str,
    "b": str,
    "n": int,
    "m": int,
    "flag": bool,
    "other": bool,
    "kind": Kind,
    "at": datetime,
    "rec": Inner,
}


@dataclass(frozen=True)
class Expression:
    """A value that a function computes; ``exact`` where a plan must say precisely which."""

    compute: Callable[[Arguments], Any]
    shown: str
    exact: bool = False

    def of(self, drawn: Drawn) -> Any:
        """Its value in a call."""
        with clock(drawn.clock.timestamp):
            return self.compute(drawn.values)

    def __repr__(self) -> str:
        return self.shown


def constant(value: Any) -> Expression:
    return Expression(lambda _: value, repr(value), exact=True)


def argument(name: str) -> Expression:
    outer, _, inner = name.partition(".")
    return Expression(lambda a: getattr(a[outer], inner) if inner else a[outer], name, exact=True)


def joined(parts: list[Expression]) -> Expression:
    return Expression(
        lambda a: "#".join(str(part.compute(a)) for part in parts),
        f"join({', '.join(map(repr, parts))})",
        exact=all(part.exact for part in parts),
    )


def either(flag: str, one: Expression, other: Expression) -> Expression:
    return Expression(
        lambda a: (one if a[flag] else other).compute(a), f"({one} if {flag} else {other})"
    )


def by_kind(kind: str, one: Expression, other: Expression) -> Expression:
    return Expression(
        lambda a: (one if a["kind"] == kind else other).compute(a),
        f"({one} if kind == {kind} else {other})",
    )


def digest(inner: Expression, length: int) -> Expression:
    return Expression(
        lambda a: sha256(inner.compute(a).encode()).hexdigest()[:length], f"sha({inner})[:{length}]"
    )


def sliced(inner: Expression, start: int, end: int) -> Expression:
    return Expression(lambda a: f"{inner.compute(a)[start:end]}.", f"{inner}[{start}:{end}]")


def lowered(inner: Expression) -> Expression:
    return Expression(lambda a: inner.compute(a).lower(), f"{inner}.lower()")


def padded(inner: Expression) -> Expression:
    return Expression(lambda a: f"{inner.compute(a):08d}", f"pad({inner})")


def counted(inner: Expression) -> Expression:
    return Expression(lambda a: len(inner.compute(a)), f"len({inner})")


def smaller(one: Expression, other: Expression) -> Expression:
    return Expression(lambda a: min(one.compute(a), other.compute(a)), f"min({one}, {other})")


def timed(inner: Expression) -> Expression:
    return Expression(
        lambda a: f"{a['at'].isoformat()}#{inner.compute(a)}", f"at#{inner}", exact=inner.exact
    )


def arithmetic(op: str, one: Expression, other: Expression) -> Expression:
    compute = _OPERATORS[op]
    return Expression(lambda a: compute(one.compute(a), other.compute(a)), f"({one} {op} {other})")


_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "%": lambda x, y: x % y,
    "//": lambda x, y: x // y,
    "min": min,
}


@pattern("Anything")
def anything(a: str, b: str, n: int, m: int, rec: Inner) -> Op[Any]:
    return Thing.get(owner=a, thing_id=f"{b}{n}{m}{rec.name}{rec.count}")


# A constant may equal anything, so also what the calls are made with.
_SEEN = [valid_call(anything, DESIGN, turn=turn).drawn.parts for turn in range(TURNS)]
_VALUES = [value for parts in _SEEN for value in parts.values()]
_LETTERS = "abcXYZ019"

_text_arguments = st.sampled_from(["a", "b", "rec.name"]).map(argument)
_number_arguments = st.sampled_from(["n", "m", "rec.count"]).map(argument)
_text_constants = st.one_of(
    st.text(_LETTERS, min_size=1, max_size=8),
    st.sampled_from([value for value in _VALUES if isinstance(value, str)]),
).map(constant)
_number_constants = st.one_of(
    st.integers(1, 200),
    st.integers(1, 99_999),
    st.sampled_from([value for value in _VALUES if type(value) is int]),
).map(constant)
_flags = st.sampled_from(["flag", "other"])
_kinds = st.sampled_from("xyzwv")

simple_texts = st.one_of(_text_arguments, _text_constants)
computed_texts = st.one_of(
    st.builds(digest, simple_texts, st.integers(4, 64)),
    st.builds(sliced, _text_arguments, st.integers(0, 3), st.integers(4, 9)),
    _text_arguments.map(lowered),
    _number_arguments.map(padded),
    st.just(Expression(lambda _: uuid4().hex, "uuid4()")),
    st.builds(smaller, _text_arguments, _text_arguments),
)
some_texts = st.one_of(simple_texts, computed_texts)
texts = st.one_of(
    some_texts,
    st.lists(st.one_of(some_texts, _number_arguments), min_size=2, max_size=3).map(joined),
    some_texts.map(timed),
    st.builds(either, _flags, some_texts, some_texts),
    st.builds(by_kind, _kinds, some_texts, some_texts),
)

_simple_numbers = st.one_of(_number_arguments, _number_constants)
# No call can show a clamp that lies beyond every number that is drawn.
_clamps = st.integers(20, 5_000).map(constant)
limits = st.one_of(
    _simple_numbers, st.builds(arithmetic, st.just("min"), _number_arguments, _clamps)
)
some_numbers = st.one_of(
    limits,
    st.builds(arithmetic, st.sampled_from("+-*"), _number_arguments, _simple_numbers),
    st.builds(
        arithmetic,
        st.sampled_from(["%", "//"]),
        _number_arguments,
        st.integers(2, 90).map(constant),
    ),
    _text_arguments.map(counted),
)
numbers = st.one_of(
    some_numbers,
    st.builds(either, _flags, some_numbers, some_numbers),
    st.builds(by_kind, _kinds, some_numbers, some_numbers),
)
times = st.sampled_from(
    [
        argument("at"),
        constant(datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)),
        Expression(lambda _: utc_now(), "now", exact=True),
        Expression(lambda _: utc_now() + timedelta(days=7), "now + 7 days"),
        Expression(lambda a: a["at"].replace(hour=0, minute=0, second=0), "midnight of at"),
    ]
)

# The values of a function, by where they go.
made_values = st.fixed_dictionaries(
    {
        "owner": simple_texts,
        "thing_id": st.one_of(_text_arguments, computed_texts),
        "text": texts,
        "number": numbers,
        "limit": limits,
        "tag": some_texts,
        "inner": some_numbers,
        "at": times,
    }
)
Values = Mapping[str, Expression]


def put(made: Arguments, _: Arguments) -> Op[Any]:
    """Write a record whole, with a list and a map in it."""
    return Thing(
        owner=made["owner"],
        thing_id=made["thing_id"],
        text=made["text"],
        number=made["number"],
        tags=[made["tag"], "fixed"],
        meta={"inner": made["inner"]},
        at=made["at"],
    ).put()


def update(made: Arguments, _: Arguments) -> Op[Any]:
    """Change two fields on a condition."""
    changed = Thing.update(owner=made["owner"], thing_id="t").set(lambda t: t.text).to(made["text"])
    changed = changed.set(lambda t: t.number).to(made["number"])
    return changed.where(lambda t: t.at < made["at"])


def query(made: Arguments, given: Arguments) -> Op[Any]:
    """Read some records; a flag decides whether there is a filter."""
    found = Thing.query(owner=made["owner"])
    if given["flag"]:
        found = found.where(lambda t: t.text == made["text"])
    return found.limit(made["limit"])


Build = Callable[[Arguments, Arguments], Op[Any]]


def function(build: Build, values: Values) -> Pattern[..., Any]:
    """The pattern whose function computes these values and builds an operation of them."""

    def generated(**given: Any) -> Op[Any]:
        return build({name: value.compute(given) for name, value in values.items()}, given)

    signature: Any = inspect.Signature(
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind)
            for name, kind in SIGNATURE.items()
        ]
    )
    vars(generated)["__signature__"] = signature
    generated.__annotations__ = {**SIGNATURE, "return": Op[Any]}
    return pattern("Generated")(generated)


@st.composite
def calls(draw: st.DrawFn) -> Drawn:
    """Arguments that no plan was made from."""
    text = st.text(f"{_LETTERS}mnopq", min_size=3, max_size=18)
    number = st.integers(1, 99_999)
    moment = st.integers(1, 3_000_000_000).map(lambda s: datetime.fromtimestamp(s, UTC))
    record = Inner(name=draw(text), count=draw(number), on=draw(st.booleans()))
    values = {
        "a": draw(text),
        "b": draw(text),
        "n": draw(number),
        "m": draw(number),
        "flag": draw(st.booleans()),
        "other": draw(st.booleans()),
        "kind": draw(_kinds),
        "at": draw(moment),
        "rec": record,
    }
    time = draw(moment)
    fields = {f"rec.{name}": value for name, value in record.__dict__.items()}
    return Drawn(time, values, {**values, **fields, NOW: time})
