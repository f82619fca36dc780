"""Patterns: the requests that an application sends, as named, typed functions.

A pattern is still the function that was written: calling it returns the operation. The decorator
adds a title, expectations, and its specification independent of any key.
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

from sortkey.design.acknowledging import Ignored, with_reasons
from sortkey.design.findings import Finding, refusal
from sortkey.design.tables.table import Table
from sortkey.errors import Refused
from sortkey.operations.operation import Operation

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

_SECONDS = MappingProxyType(
    {"s": 1, "sec": 1, "min": 60, "m": 60, "h": 3600, "hour": 3600, "d": 86400, "day": 86400}
)
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*/\s*([a-z]+)")


# Whether a record belongs to the result: a function of the record, then of the pattern's arguments.
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
    """The rate of a pattern, as it was written and in requests a second."""

    text: str
    per_second: float

    def __str__(self) -> str:
        return self.text


def parse_rate(text: str, where: str) -> Rate:
    """Return the rate of a text such as ``50/s``, ``3/min``, ``1000/h`` or ``2/day``."""
    found = _RATE.fullmatch(text.strip())
    if found is None or found[2] not in _SECONDS:
        raise refusal(
            where,
            f'"{text}" is not a rate',
            "Write a number per period, such as 50/s, 3/min, 1000/h or 2/day",
            code="SK401",
            name="bad-rate",
        )
    return Rate(text.strip(), float(found[1]) / _SECONDS[found[2]])


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a pattern."""

    name: str
    type: Any
    required: bool
    keyword_only: bool


class PatternOptions(TypedDict, total=False):
    """The options of a pattern; see `pattern`."""

    rate: str | None
    fresh: bool
    page: int | None
    where: Meaning | None
    order: Callable[[Any], Any] | None
    descending: bool
    ignore: Ignored | None


class Pattern(Generic[P, R_co]):
    """A named function; calling it returns the operation to run.

    A pattern whose requests are text ``is_raw``: its ``findings`` are the faults that DynamoDB
    would reject with any arguments, and ``first`` is the number of wanted records, if declared.
    """

    is_raw: bool = False
    first: int | None = None
    findings: tuple[Finding, ...] = ()
    # The tables of its requests, if they are known without a call.
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

    def __str__(self) -> str:
        return self.name

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Operation[R_co]:
        """Return the operation for these arguments; only this pattern can continue its cursors."""
        operation = self.function(*args, **kwargs)
        if not hasattr(operation, "_of_pattern"):
            raise Refused(
                f"the pattern {self.name} returned {type(operation).__name__}, not an operation: "
                "return the result of get(), query() or another operation, without running it"
            )
        return operation._of_pattern(self.name)

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
        """The type of the result: the one within ``Op[...]`` in the annotation."""
        annotated = self._types.get("return", Any)
        inner = get_args(annotated)
        return inner[0] if get_origin(annotated) is Operation and inner else annotated

    @cached_property
    def _types(self) -> dict[str, Any]:
        # Not at once: an annotation may name a class that the module defines further down.
        try:
            return get_type_hints(self.function, include_extras=True)
        except NameError as error:
            raise refusal(
                self.name,
                f"its annotations use a name that does not exist: {error}",
                "Import or define it in the module",
                code="SK403",
                name="unknown-annotation",
            ) from None

    def _refuse(self) -> None:
        function = self.function
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise refusal(
                self.name,
                "a pattern returns an operation and does not run it, but this function is a "
                "coroutine or a generator",
                "Write a plain def; run what it returns with db(...), or await db(...)",
                code="SK402",
                name="not-a-pattern",
            )
        unknown = set(_names_of(self.where)[1:]) - inspect.signature(function).parameters.keys()
        if unknown:
            raise refusal(
                self.name,
                f"where= takes {', '.join(sorted(unknown))}, but the pattern has no such argument",
                "Name the record first, then arguments of the pattern by their names",
                code="SK402",
                name="not-a-pattern",
            )
        if self.page is not None and self.page < 1:
            raise refusal(
                self.name,
                f"page={self.page}, but a page has at least one record",
                "Pass the usual number of records on a page",
                code="SK402",
                name="not-a-pattern",
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

    ``rate`` is how often it is called (``"50/s"``), ``page`` the usual number of records on a page,
    and ``fresh`` means that it must see the last write. ``where`` and ``order`` specify in plain
    Python which records it should return, and in which order: ``where=lambda u, email: u.email ==
    email`` takes a record, then the pattern's own arguments by name. ``ignore`` names the rules of
    `check` that do not apply to it, each with a reason: ``{"SK408": "a handful of shops"}``.
    """
    if not isinstance(title, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # @pattern alone
        raise refusal(
            getattr(title, "__name__", "pattern"),
            "the pattern has no title",
            'Write @pattern("What it asks")',
            code="SK402",
            name="not-a-pattern",
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
    """Return the names of a function's parameters, as far as it has a signature."""
    try:
        taken = inspect.signature(meaning).parameters.values() if meaning else ()
    except ValueError:
        return []
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [one.name for one in taken if one.kind in named]


def _source_of(function: Callable[..., Any]) -> tuple[str, int] | None:
    """Return the file and the first line of a function; a callable object has none."""
    code = getattr(function, "__code__", None)
    return None if code is None else (code.co_filename, code.co_firstlineno)
