"""Raw patterns: access patterns as another design states them, request by request."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypedDict, Unpack

from sortkey.design.acknowledging import Ignored
from sortkey.design.declaring.pattern import Meaning, Parameter, Pattern, PatternOptions, parse_rate
from sortkey.design.findings import DesignError, Finding
from sortkey.design.plans.drawing import Drawing, Undrawable
from sortkey.design.raw.findings import RawFindings
from sortkey.design.raw.operation import RawOperation
from sortkey.design.raw.reading import read_step
from sortkey.design.raw.request import Becomes, RawRequest, ReturnValues, Select
from sortkey.design.raw.together import TOGETHER, Numbered, check_alone, check_together
from sortkey.design.raw.values import with_now
from sortkey.design.records.marks import plain_type
from sortkey.design.tables.table import Index, Table, TableDefinition
from sortkey.errors import Refused
from sortkey.expressions.placing import placed
from sortkey.operations.operation import Operation
from sortkey.operations.origin import Filled
from sortkey.operations.plan import Shape, Step


class RequestMembers(TypedDict, total=False):
    """The members of a raw request besides its operation and its table."""

    index: Index | str | None
    key: Mapping[str, Any] | None
    item: Mapping[str, Any] | None
    key_condition: str | None
    filter: str | None
    condition: str | None
    update: str | None
    projection: str | None
    names: Mapping[str, str]
    values: Mapping[str, Any]
    consistent: bool
    scan_forward: bool
    limit: int | None
    select: Select | None
    return_values: ReturnValues | None
    entity: type[Any] | None
    entities: Sequence[type[Any]]
    becomes: Becomes | None


class RawPattern(Pattern[..., Any]):
    """An access pattern whose requests are text; calling it returns the operation."""

    is_raw = True

    def __init__(
        self,
        title: str,
        operation: str,
        requests: tuple[RawRequest, ...],
        *,
        arguments: Mapping[str, Any],
        name: str,
        returns: Any = Any,
        doc: str = "",
        first: int | None = None,
        **said: Unpack[PatternOptions],
    ) -> None:
        self.operation = operation
        self.first = first
        self.requests = requests
        self.tables = tuple(request.table for request in requests)
        self.arguments = dict(arguments)
        findings = RawFindings(name)
        function = _function(self._made, name, self._named(findings), returns, doc)
        said["rate"] = _readable(said.get("rate"), findings)
        super().__init__(function, title, **said)
        self.findings = tuple(findings.found)
        # Without a valid value it cannot be called, which `check` reports.
        with suppress(Undrawable):
            made = self._made(**self._drawn())
            self._find_optional_keys(made, findings)
            self.findings = (*findings.found, *made._findings)

    def _drawn(self) -> dict[str, Any]:
        """Return a value for each argument, even one that cannot be passed by name."""
        parameters = [
            Parameter(name, kind, required=True, keyword_only=True)
            for name, kind in self.arguments.items()
        ]
        return dict(Drawing(parameters).draw().values)

    def _find_optional_keys(self, operation: RawOperation, findings: RawFindings) -> None:
        """Report an argument of a key that may be None."""
        optional = {name for name, kind in self.arguments.items() if plain_type(kind)[1]}
        found: dict[str, tuple[int, ...]] = {}
        for number, step in zip(self.action_numbers, operation._parts, strict=True):
            for name in sorted(optional & _key_arguments(step)):
                found[name] = (*found.get(name, ()), *(() if number is None else (number,)))
        for name, actions in found.items():
            findings.add(
                "SK511",
                "arguments",
                f'"{name}" may be None, but it is part of a key, which must have a value',
                "Give it a type without None, or use another request if it is None",
                actions=actions,
            )

    def _named(self, findings: RawFindings) -> dict[str, Any]:
        """Return the arguments that can be passed by name."""
        for name in self.arguments:
            if not name.isidentifier():
                findings.add(
                    "SK512",
                    "arguments",
                    f'"{name}" cannot be the name of an argument',
                    "Write it with letters, digits and _",
                )
        return {name: kind for name, kind in self.arguments.items() if name.isidentifier()}

    @property
    def action_numbers(self) -> tuple[int | None, ...]:
        """The number of each of its steps among the actions of a transaction or a batch."""
        known = [n for n, request in enumerate(self.requests, 1) if request.verb is not None]
        return tuple(n if self.operation in TOGETHER else None for n in known)

    def _made(self, **given: Any) -> RawOperation:
        together = TOGETHER.get(self.operation)
        known = with_now(given)
        read: list[Numbered] = []
        found: list[Finding] = []
        for number, request in enumerate(self.requests, 1):
            findings = RawFindings(self.name, number if together else None)
            step = read_step(request, known, findings)
            found += findings.found
            if step is not None:
                read.append(Numbered(number, request, step))
        steps = tuple(one.step for one in read)
        whole = RawFindings(self.name)
        if together is None:
            check_alone(self.operation, self.requests, steps, whole)
            shape: Shape = "pages" if self.operation in {"Query", "Scan"} else "single"
        else:
            check_together(self.operation, read, whole)
            shape = together.shape
        return RawOperation(
            _pattern=self.name,
            _operation=self.operation if together or not steps else steps[0].verb,
            _shape=shape,
            _requests=self.requests,
            _parts=steps,
            _given=given,
            _findings=(*found, *whole.found),
            _is_paged=self.page is not None,
            _first=self.first,
        )


def raw_pattern(
    title: str,
    *,
    operation: str,
    table: type[Table] | None = None,
    actions: Sequence[RawRequest] = (),
    arguments: Mapping[str, Any] | None = None,
    name: str | None = None,
    returns: Any = Any,
    doc: str = "",
    rate: str | None = None,
    fresh: bool = False,
    page: int | None = None,
    first: int | None = None,
    where: Meaning | None = None,
    order: Callable[[Any], Any] | None = None,
    descending: bool = False,
    ignore: Ignored | None = None,
    **members: Unpack[RequestMembers],
) -> RawPattern:
    """Declare an access pattern that is written as a request, in DynamoDB's own expressions.

    ``{argument}`` in a value is replaced by an argument, whose type ``arguments`` declares, and
    ``{now()}`` by the time. It is written as the field or the key template in its place would write
    it. A transaction or a batch has ``actions`` instead of members. A ``limit`` with ``page`` is
    the size of a page, which has a cursor; with ``first``, only the first records in the order of
    ``order`` are wanted; alone, the items within it are the whole result. ``entities`` names
    several entities whose records it returns, and ``becomes`` specifies the result of a write.

    On a raw table its faults are collected; on any other a `DesignError` is raised.
    """
    if members and (actions or operation in TOGETHER):
        raise Refused(f"{title}: give each of the actions its own {', '.join(members)}")
    requests = tuple(actions)
    if table is not None and not actions and operation not in TOGETHER:
        requests = (RawRequest(operation, table, **members),)
    _refuse_meaningless(title, operation, requests, page=page, first=first, order=order)
    made = RawPattern(
        title,
        operation,
        requests,
        arguments=arguments or {},
        name=name or _slug(title),
        returns=returns,
        doc=doc,
        rate=rate,
        fresh=fresh,
        page=page,
        first=first,
        where=where,
        order=order,
        descending=descending,
        ignore=ignore,
    )
    made.source = _caller()
    tables = [request.table for request in requests] or ([] if table is None else [table])
    if made.findings:
        if not tables or not all(each.definition.raw for each in tables):
            raise DesignError(made.findings)
        tables[0].definition.findings.extend(made.findings)
    return made


def _refuse_meaningless(
    title: str,
    operation: str,
    requests: Sequence[RawRequest],
    *,
    page: int | None,
    first: int | None,
    order: Callable[[Any], Any] | None,
) -> None:
    """Reject options that have no meaning for such an operation."""
    given = {"page": page, "first": first}
    if operation not in {"Query", "Scan"}:
        for name in (name for name, number in given.items() if number is not None):
            raise Refused(f"{title}: {operation} has no {name}=; it is for a Query or a Scan")
    if first is not None and order is None:
        raise Refused(
            f"{title}: first={first} needs order=, which determines which records come first"
        )
    if page is not None and all(request.limit is None for request in requests):
        raise Refused(f"{title}: page={page} needs limit=, the size of the page that is requested")
    for request in requests:
        if request.becomes is not None and request.operation in {"GetItem", "Query", "Scan"}:
            raise Refused(f"{title}: {request.operation} writes nothing, so it has no becomes=")


def _key_arguments(step: Step) -> set[str]:
    """Return the arguments in a key of the table or of an index."""
    keys = {attribute.name for index in _indexes(step) for attribute in index.attributes}
    written = {**step.origins, **{n: v.origin for n, v in (step.key or {}).items()}}
    origins = [origin for name, origin in written.items() if name in keys]
    origins += [value.origin for _, value in placed(step.key_condition)]
    return {name for origin in origins if isinstance(origin, Filled) for name in origin.bound}


def _indexes(step: Step) -> Iterator[Index]:
    if isinstance(step.table, TableDefinition):
        yield step.table.primary
        yield from step.table.indexes.values()


def _caller() -> tuple[str, int] | None:
    """Return the file and the line of the caller's caller: a raw pattern has no function."""
    here = inspect.currentframe()
    caller = here and here.f_back and here.f_back.f_back
    return (caller.f_code.co_filename, caller.f_lineno) if caller else None


def _slug(title: str) -> str:
    return re.sub(r"\W+", "_", title).strip("_").lower() or "pattern"


def _readable(rate: str | None, findings: RawFindings) -> str | None:
    """Return the rate, or None if it is invalid, with a finding."""
    try:
        return None if rate is None else parse_rate(rate, findings.where("rate")).text
    except DesignError as error:
        findings.found.extend(error.findings)
        return None


def _function(
    make: Callable[..., Any], name: str, arguments: Mapping[str, Any], returns: Any, doc: str
) -> Callable[..., Operation[Any]]:
    """Return the function of an equivalent typed pattern."""
    signature = inspect.Signature(
        [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=kind)
            for name, kind in arguments.items()
        ]
    )

    def ask(*args: Any, **kwargs: Any) -> Operation[Any]:
        return make(**signature.bind(*args, **kwargs).arguments)

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = doc
    ask.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]  # read by inspect
    ask.__annotations__ = {**arguments, "return": Operation[returns]}
    return ask
