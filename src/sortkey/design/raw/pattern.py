"""Raw patterns: access patterns as another design states them, request by request."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypedDict, Unpack

from sortkey.design.drawing import Drawing, Undrawable
from sortkey.design.findings import DesignError, Finding
from sortkey.design.ignoring import Ignored
from sortkey.design.marks import plain_type
from sortkey.design.pattern import Meaning, Parameter, Pattern, Said, parse_rate
from sortkey.design.raw.faults import Faults
from sortkey.design.raw.operation import RawOperation
from sortkey.design.raw.reading import read_step
from sortkey.design.raw.request import Becomes, RawRequest, ReturnValues, Select
from sortkey.design.raw.together import TOGETHER, Numbered, check_alone, check_together
from sortkey.design.raw.values import with_now
from sortkey.design.table import Index, Table, TableDefinition
from sortkey.errors import Refused
from sortkey.expressions.placing import placed
from sortkey.operations.operation import Operation
from sortkey.operations.origin import Filled
from sortkey.operations.plan import Shape, Step


class Members(TypedDict, total=False):
    """What a raw request says beside its operation and its table."""

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
        **said: Unpack[Said],
    ) -> None:
        self.operation = operation
        self.first = first
        self.requests = requests
        self.tables = tuple(request.table for request in requests)
        self.arguments = dict(arguments)
        faults = Faults(name)
        function = _function(self._asked, name, self._named(faults), returns, doc)
        said["rate"] = _readable(said.get("rate"), faults)
        super().__init__(function, title, **said)
        self.findings = tuple(faults.findings)
        # Without a valid value nothing can be tried, which `check` reports.
        with suppress(Undrawable):
            asked = self._asked(**self._drawn())
            self._find_optional_keys(asked, faults)
            self.findings = (*faults.findings, *asked.findings)

    def _drawn(self) -> dict[str, Any]:
        """Return a value for each argument, also for one that cannot be given by name."""
        parameters = [
            Parameter(name, kind, required=True, keyword_only=True)
            for name, kind in self.arguments.items()
        ]
        return dict(Drawing(parameters).draw().values)

    def _find_optional_keys(self, asked: RawOperation, faults: Faults) -> None:
        """Note an argument that may be None where a key must have a value."""
        optional = {name for name, kind in self.arguments.items() if plain_type(kind)[1]}
        found: dict[str, tuple[int, ...]] = {}
        for number, step in zip(self.action_numbers, asked.parts, strict=True):
            for name in sorted(optional & _key_arguments(step)):
                found[name] = (*found.get(name, ()), *(() if number is None else (number,)))
        for name, actions in found.items():
            faults.find(
                "SK511",
                "arguments",
                f'"{name}" may be None, and stands in a key, which must have a value',
                "Give it a type without None, or use another request where it is None",
                actions=actions,
            )

    def _named(self, faults: Faults) -> dict[str, Any]:
        """The arguments that can be given by name."""
        for name in self.arguments:
            if not name.isidentifier():
                faults.find(
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

    def _asked(self, **given: Any) -> RawOperation:
        together = TOGETHER.get(self.operation)
        known = with_now(given)
        read: list[Numbered] = []
        findings: list[Finding] = []
        for number, request in enumerate(self.requests, 1):
            faults = Faults(self.name, number if together else None)
            step = read_step(request, known, faults)
            findings += faults.findings
            if step is not None:
                read.append(Numbered(number, request, step))
        steps = tuple(one.step for one in read)
        whole = Faults(self.name)
        if together is None:
            check_alone(self.operation, self.requests, steps, whole)
            shape: Shape = "pages" if self.operation in {"Query", "Scan"} else "single"
        else:
            check_together(self.operation, read, whole)
            shape = together.shape
        return RawOperation(
            pattern=self.name,
            operation=self.operation if together or not steps else steps[0].verb,
            shape=shape,
            requests=self.requests,
            parts=steps,
            given=given,
            findings=(*findings, *whole.findings),
            is_paged=self.page is not None,
            first=self.first,
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
    **members: Unpack[Members],
) -> RawPattern:
    """Declare an access pattern that is written as a request, in DynamoDB's own expressions.

    ``{argument}`` in a value stands for an input, which ``arguments`` gives a type, and ``{now()}``
    for the time. It is written as the field or the key template in whose place it stands. A
    transaction or a batch has ``actions`` instead of members.

    A ``limit`` beside ``page`` is the size of a page, which has a cursor; beside ``first``, the
    first records in the order that ``order`` states are wanted; alone, what is read under it is
    taken for the whole answer. ``entities`` names several entities whose records it returns, and
    ``becomes`` what a write should come to.

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
    """Refuse what says nothing about such an operation."""
    given = {"page": page, "first": first}
    if operation not in {"Query", "Scan"}:
        for name in (name for name, number in given.items() if number is not None):
            raise Refused(f"{title}: {operation} has no {name}=; it is for a Query or a Scan")
    if first is not None and order is None:
        raise Refused(f"{title}: first={first} needs order=, which says which records come first")
    if page is not None and all(request.limit is None for request in requests):
        raise Refused(f"{title}: page={page} needs limit=, the size of the page that is requested")
    for request in requests:
        if request.becomes is not None and request.operation in {"GetItem", "Query", "Scan"}:
            raise Refused(f"{title}: {request.operation} writes nothing, so it has no becomes=")


def _key_arguments(step: Step) -> set[str]:
    """Return the arguments that stand in a key, of the table or of an index."""
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
    """The file and the line in which whoever asks was called: a raw pattern has no function."""
    here = inspect.currentframe()
    asked = here and here.f_back and here.f_back.f_back
    return (asked.f_code.co_filename, asked.f_lineno) if asked else None


def _slug(title: str) -> str:
    return re.sub(r"\W+", "_", title).strip("_").lower() or "pattern"


def _readable(rate: str | None, faults: Faults) -> str | None:
    """The rate, or None where it is none; then its finding is kept."""
    try:
        return None if rate is None else parse_rate(rate, faults.where("rate")).text
    except DesignError as error:
        faults.findings.extend(error.findings)
        return None


def _function(
    asked: Callable[..., Any], name: str, arguments: Mapping[str, Any], returns: Any, doc: str
) -> Callable[..., Operation[Any]]:
    """The function that a typed pattern would be written as."""
    signature = inspect.Signature(
        [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=kind)
            for name, kind in arguments.items()
        ]
    )

    def ask(*args: Any, **kwargs: Any) -> Operation[Any]:
        return asked(**signature.bind(*args, **kwargs).arguments)

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = doc
    ask.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]  # read by inspect
    ask.__annotations__ = {**arguments, "return": Operation[returns]}
    return ask
