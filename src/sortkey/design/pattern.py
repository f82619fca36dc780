"""Patterns: the questions an application asks of its data, as named, typed functions.

A pattern is still the function that was written: calling it returns the operation. What it adds is
a title, what is expected of it, and its meaning apart from any key.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, update_wrapper
from types import MappingProxyType
from typing import (
    Any,
    Generic,
    ParamSpec,
    TypeAlias,
    TypedDict,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from sortkey.design.findings import DesignError, Finding
from sortkey.design.ignoring import Ignored, with_reasons
from sortkey.design.table import Table
from sortkey.errors import Refused
from sortkey.operations.operation import Operation

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

_SECONDS = MappingProxyType(
    {"s": 1, "sec": 1, "min": 60, "m": 60, "h": 3600, "hour": 3600, "d": 86400, "day": 86400}
)
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*/\s*([a-z]+)")


# Whether a record belongs to the answer: a function of the record, then of the pattern's arguments.
# By arity, so that a type checker knows what each parameter of a lambda is; with `...` among them
# it does not know that of a lambda with one.
Meaning: TypeAlias = (
    Callable[[Any], bool]
    | Callable[[Any, Any], bool]
    | Callable[[Any, Any, Any], bool]
    | Callable[[Any, Any, Any, Any], bool]
    | Callable[[Any, Any, Any, Any, Any], bool]
    | Callable[[Any, Any, Any, Any, Any, Any], bool]
    | Callable[[Any, Any, Any, Any, Any, Any, Any], bool]
    | Callable[[Any, Any, Any, Any, Any, Any, Any, Any], bool]
)


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something is asked, as it was written and in requests a second."""

    text: str
    per_second: float

    def __str__(self) -> str:
        return self.text


def parse_rate(text: str, where: str) -> Rate:
    """The rate that a text such as ``50/s``, ``3/min``, ``1000/h`` or ``2/day`` says."""
    found = _RATE.fullmatch(text.strip())
    if found is None or found[2] not in _SECONDS:
        raise _refusal(
            "SK401",
            "bad-rate",
            where,
            f'"{text}" is no rate',
            "Write how many in which time, as 50/s, 3/min, 1000/h or 2/day",
        )
    return Rate(text.strip(), float(found[1]) / _SECONDS[found[2]])


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a pattern."""

    name: str
    type: Any
    required: bool
    keyword_only: bool


class Said(TypedDict, total=False):
    """What is said of a pattern beside its title; see `pattern`."""

    rate: str | None
    fresh: bool
    page: int | None
    where: Meaning | None
    order: Callable[[Any], Any] | None
    descending: bool
    ignore: Ignored | None


class Pattern(Generic[P, R_co]):
    """A named question; calling it returns the operation that answers it.

    ``findings`` is what DynamoDB would refuse in it, whatever its arguments; of a pattern whose
    requests are text, which ``is_raw``, and which may say how many records are wanted (``first``).
    """

    is_raw = False
    first: int | None = None
    findings: tuple[Finding, ...] = ()
    # The tables that its requests name, where they are known without a call.
    tables: tuple[type[Table], ...] = ()

    @property
    def action_numbers(self) -> tuple[int | None, ...]:
        """The number of each step among the actions of a raw transaction or batch, if it is one."""
        return ()

    def __init__(
        self,
        function: Callable[P, Operation[R_co]],
        title: str,
        *,
        rate: str | None = None,
        fresh: bool = False,
        page: int | None = None,
        where: Meaning | None = None,
        order: Callable[[Any], Any] | None = None,
        descending: bool = False,
        ignore: Ignored | None = None,
    ) -> None:
        self.function = function
        self.name = function.__name__
        self.title = title
        self.doc = inspect.getdoc(function) or ""
        self.source = _source_of(function)
        self.rate = None if rate is None else parse_rate(rate, self.name)
        self.fresh = fresh
        self.page = page
        self.where = where
        self.order = order
        self.descending = descending
        self.ignore = with_reasons(ignore, self.name)
        update_wrapper(self, function)
        self._refuse()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Operation[R_co]:
        """The operation for these arguments; its cursors are continued by this pattern alone."""
        operation = self.function(*args, **kwargs)
        if not hasattr(operation, "of_pattern"):
            raise Refused(
                f"the pattern {self.name} returned {type(operation).__name__}, not an operation: "
                "return what get(), query() or another operation gives, without running it"
            )
        return operation.of_pattern(self.name)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The arguments with their types, in order."""
        types = self._types
        return tuple(
            Parameter(
                name,
                types.get(name, Any),
                parameter.default is parameter.empty,
                parameter.kind is parameter.KEYWORD_ONLY,
            )
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind not in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}
        )

    @cached_property
    def returns(self) -> Any:
        """The type of the result: what the annotation says within ``Op[...]``."""
        annotated = self._types.get("return", Any)
        inner = get_args(annotated)
        return inner[0] if get_origin(annotated) is Operation and inner else annotated

    @cached_property
    def _types(self) -> dict[str, Any]:
        # Not at once: an annotation may name a class that the module defines further down.
        try:
            return get_type_hints(self.function, include_extras=True)
        except NameError as error:
            raise _refusal(
                "SK403",
                "unknown-annotation",
                self.name,
                f"its annotations name something that is not there: {error}",
                "Import or define it in the module",
            ) from None

    def _refuse(self) -> None:
        function = self.function
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise _refusal(
                "SK402",
                "not-a-pattern",
                self.name,
                "a pattern returns an operation and does not run it, and this function waits",
                "Write a plain def; run what it returns with db(...), or await db(...)",
            )
        unknown = set(_names_of(self.where)[1:]) - inspect.signature(function).parameters.keys()
        if unknown:
            raise _refusal(
                "SK402",
                "not-a-pattern",
                self.name,
                f"where= takes {', '.join(sorted(unknown))}, and the pattern has no such argument",
                "Name the record first, then arguments of the pattern by their names",
            )
        if self.page is not None and self.page < 1:
            raise _refusal(
                "SK402",
                "not-a-pattern",
                self.name,
                f"page={self.page}, and a page has at least one record",
                "Give the number of records that a page usually has",
            )

    def __repr__(self) -> str:
        return f"<pattern {self.name}: {self.title}>"


def pattern(
    title: str,
    *,
    rate: str | None = None,
    fresh: bool = False,
    page: int | None = None,
    where: Meaning | None = None,
    order: Callable[[Any], Any] | None = None,
    descending: bool = False,
    ignore: Ignored | None = None,
) -> Callable[[Callable[P, Operation[R]]], Pattern[P, R]]:
    """Make a function that returns an operation a pattern of the design.

    ``rate`` is how often it is asked (``"50/s"``), ``page`` how many records a page usually has,
    ``fresh`` that it must see the last write. ``where`` and ``order`` say in plain Python which
    records it should return, and in which order: ``where=lambda u, email: u.email == email`` takes
    a record, then the pattern's own arguments by name. ``ignore`` says which rules of `check` are
    not held against it, and why: ``{"SK408": "a handful of shops"}``.
    """
    if not isinstance(title, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # @pattern alone
        raise _refusal(
            "SK402",
            "not-a-pattern",
            getattr(title, "__name__", "pattern"),
            "the pattern has no title",
            'Write @pattern("What it asks")',
        )

    def make(function: Callable[P, Operation[R]]) -> Pattern[P, R]:
        return Pattern(
            function,
            title,
            rate=rate,
            fresh=fresh,
            page=page,
            where=where,
            order=order,
            descending=descending,
            ignore=ignore,
        )

    return make


def _names_of(meaning: Callable[..., Any] | None) -> list[str]:
    """Return the names that a function takes, as far as it says them."""
    try:
        taken = inspect.signature(meaning).parameters.values() if meaning else ()
    except ValueError:
        return []
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [one.name for one in taken if one.kind in named]


def _source_of(function: Callable[..., Any]) -> tuple[str, int] | None:
    """The file and the line in which a function begins; a callable object has none."""
    code = getattr(function, "__code__", None)
    return None if code is None else (code.co_filename, code.co_firstlineno)


def _refusal(code: str, name: str, where: str, message: str, fix: str) -> DesignError:
    return DesignError([Finding(code, name, where, message, fix)])
