"""Statements of a request: one, several on their own, or several together."""

from collections.abc import Mapping, Sequence
from typing import Any

from sortkey.engine.capacity import read_units, write_units
from sortkey.engine.changes import make_all
from sortkey.engine.database import Database
from sortkey.engine.promptness import refuse_long
from sortkey.engine.statements.conditions import single_item
from sortkey.engine.statements.requests import (
    refuse_long_statements,
    statement_of,
    table_named,
)
from sortkey.engine.statements.selecting import select
from sortkey.engine.statements.writing import StatementStep, write
from sortkey.engine.table import StoredTable
from sortkey.engine.tally import Tally
from sortkey.engine.tokens import token_of
from sortkey.engine.transacting import (
    RequestedItem,
    item_member,
    read_together,
    write_together,
)
from sortkey.engine.transactions import TargetItem
from sortkey.engine.weather import CONFLICT, Demand, throttled
from sortkey.partiql.statements import (
    Alteration,
    Deletion,
    Existence,
    Selection,
    Statement,
)
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    DuplicateItemException,
    ProvisionedThroughputExceededException,
    RequestLimitExceeded,
    ResourceNotFoundException,
    ServiceError,
    ThrottlingException,
    TransactionConflictException,
    ValidationException,
)

_ONLY_TOGETHER = "EXISTS can only be used in ExecuteTransaction write requests."
_NEEDS_KEY = "Select statements within {} must specify the primary key in the where clause."
_CODES: Mapping[type[ServiceError], str] = {
    ConditionalCheckFailedException: "ConditionalCheckFailed",
    DuplicateItemException: "DuplicateItem",
    ProvisionedThroughputExceededException: "ProvisionedThroughputExceeded",
    RequestLimitExceeded: "RequestLimitExceeded",
    ResourceNotFoundException: "ResourceNotFound",
    ThrottlingException: "ThrottlingError",
    TransactionConflictException: "TransactionConflict",
    ValidationException: "ValidationError",
}
_MEMBER_FAULTS = tuple(_CODES)


def execute(db: Database, request: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out one statement."""
    refuse_long_statements([request])
    statement = statement_of(request)
    if isinstance(statement, Selection):
        return select(db, request, statement)
    if isinstance(statement, Existence):
        raise ValidationException(_ONLY_TOGETHER)
    return write(db.present, request, statement)


# -- a batch --------------------------------------------------------------------------------------


class _Member:
    """One statement of a batch: its item, and its error if it has one."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self.request = request
        self.statement: Statement | None = None
        self.step: StatementStep | None = None
        self.target: TargetItem | None = None
        self.error: ServiceError | None = None
        self.ran = False
        try:
            self.statement = statement_of(request)
            if isinstance(self.statement, Existence):
                raise ValidationException(_ONLY_TOGETHER)  # noqa: TRY301 - one of several faults
            if not isinstance(self.statement, Selection):
                self.step = StatementStep(self.statement, request)
        except ValidationException as fault:
            self.error = fault

    def find(self, db: Database) -> None:
        """Find the item that the statement is about."""
        statement = self.statement
        if self.error is not None or statement is None:
            return
        try:
            table = table_named(db, statement.table)
            if self.step is not None:
                self.target = self.step.find(table)
            elif isinstance(statement, Selection):
                self.target = _selected(table, statement, "BatchExecuteStatement")
        except _MEMBER_FAULTS as fault:
            self.error = fault

    def is_refused(self, db: Database, demands: Sequence[Demand]) -> bool:
        """Take the units that the statement needs, or set its error if it cannot be served."""
        if db.weather is None:
            return False
        if db.weather.conflict(demands):
            self.error = TransactionConflictException(CONFLICT)
        elif excesses := db.weather.meet(demands):
            self.error = throttled(excesses)
        return self.error is not None

    def demands(self) -> list[Demand]:
        """Return the units that a planned write needs, also one whose condition failed."""
        if self.step is None or self.target is None:
            return []
        if self.is_attempted:
            return [self.step.attempt(self.target)]
        return self.step.change.demands() if self.step.change and not self.error else []

    @property
    def is_attempted(self) -> bool:
        """Whether the item was read, and is not as the statement needs it."""
        return isinstance(self.error, ConditionalCheckFailedException | DuplicateItemException)

    def response(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response to the statement; one that was rejected does not name its table."""
        named = {} if self.statement is None else {"TableName": self.statement.table}
        if self.error is None:
            return {**named, **found}
        code = _CODES[type(self.error)]
        error = {"Error": {"Code": code, "Message": self.error.message}}
        return error | named if self.ran or code == "ResourceNotFound" else error


def execute_batch(db: Database, request: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out each statement on its own: all read, or all write."""
    refuse_long_statements(request["Statements"])
    members = [_Member(each) for each in request["Statements"]]
    sound = [member.statement for member in members if member.error is None]
    reads = [isinstance(statement, Selection) for statement in sound]
    if len(set(reads)) > 1:
        raise ValidationException(
            "Read and write requests together in the same batch is not supported."
        )
    if any(reads):
        return _read_batch(db, request, members)
    return _write_batch(db.present, request, members)


def _read_batch(
    db: Database, request: Mapping[str, Any], members: Sequence[_Member]
) -> dict[str, Any]:
    _find_all(db, members)
    tally = Tally(request)
    responses: list[dict[str, Any]] = []
    work = 0
    for member in members:
        found: dict[str, Any] = {}
        if member.target is not None and isinstance(member.statement, Selection):
            consistent = member.request.get("ConsistentRead", False)
            stored = (db.present if consistent else db).get(*member.target)
            units = read_units(0 if stored is None else stored.size, consistent=consistent)
            if member.is_refused(
                db, [Demand.read(member.target.table, None, member.target.key, units)]
            ):
                responses.append(member.response({}))
                continue
            tally.usage(member.target.table, member.statement.table).read(units)
            if stored is not None and member.statement.projection is not None:
                work += stored.steps
                refuse_long(work)
            found = item_member(stored, member.statement.projection)
        responses.append(member.response(found))
    return {"Responses": responses} | _consumed(tally)


def _write_batch(
    db: Database, request: Mapping[str, Any], members: Sequence[_Member]
) -> dict[str, Any]:
    tally = Tally(request)
    with db.transaction():
        _find_all(db, members)
        _plan_all(db, members)
        for member in members:
            member.is_refused(db, member.demands())
        steps = [member.step for member in members if member.error is None]
        make_all(db, [step.change for step in steps if step is not None and step.change])
        _charge(tally, members)
    _report_failures(db, members)
    responses: list[dict[str, Any]] = []
    for member in members:
        items = member.step.returned() if member.step is not None and not member.error else []
        responses.append(member.response({"Item": items[0]} if items else {}))
    return {"Responses": responses} | _consumed(tally)


def _report_failures(db: Database, members: Sequence[_Member]) -> None:
    if db.weather is None:
        return
    for member in members:
        if member.error is not None and member.target is not None:
            db.weather.fail_part(member.target.table.name, member.error)


def _find_all(db: Database, members: Sequence[_Member]) -> None:
    """Find the item of each statement; no two may be about the same."""
    for member in members:
        member.find(db)
    targets = [member.target for member in members if member.target is not None]
    if len(set(targets)) < len(targets):
        raise ValidationException("Provided list of item keys contains duplicates")


def _plan_all(db: Database, members: Sequence[_Member]) -> None:
    work = 0
    for member in members:
        if member.step is None or member.target is None:
            continue
        member.ran = True
        try:
            member.step.prepare(db, member.target)
        except _MEMBER_FAULTS as fault:
            member.error = fault
        work += member.step.work
        refuse_long(work)


def _charge(tally: Tally, members: Sequence[_Member]) -> None:
    """Charge what was written, and with it what was attempted in the same tables."""
    if not tally.is_wanted:
        return
    written = [member for member in members if member.error is None]
    for member in written:
        if member.step is not None and member.step.change and member.target:
            usage = tally.usage(member.target.table, member.step.request["TableName"])
            member.step.change.charge(usage)
    tables = {member.target.table.name for member in written if member.target}
    for member in members:
        if (
            member.is_attempted
            and member.step
            and member.target
            and member.target.table.name in tables
        ):
            usage = tally.usage(member.target.table, member.step.request["TableName"])
            usage.failed += write_units(member.step.attempted_size)


def _consumed(tally: Tally) -> dict[str, Any]:
    """Return the ConsumedCapacity member; there is none if nothing succeeded."""
    report = tally.report()
    return report if report.get("ConsumedCapacity") else {}


# -- a transaction --------------------------------------------------------------------------------


def execute_together(db: Database, request: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out all statements or none: all read, or all write."""
    requests: Sequence[Mapping[str, Any]] = request["TransactStatements"]
    refuse_long_statements(requests)
    statements = [statement_of(each) for each in requests]
    selections = [each for each in statements if isinstance(each, Selection)]
    if selections and len(selections) < len(statements):
        raise ValidationException(
            "ExecuteTransaction API does not support both read and write operations in the same "
            "request."
        )
    for number, statement in enumerate(statements):
        _refuse_together(db, number, statement)
    if selections:
        return read_together(db, request, [_requested(each) for each in selections])
    steps = [
        StatementStep(statement, each)
        for statement, each in zip(statements, requests, strict=True)
        if not isinstance(statement, Selection)
    ]
    token = token_of(request, "TransactStatements", scope="ExecuteTransaction ")
    answer: dict[str, Any] = {"Responses": []}
    return answer | write_together(db, request, steps, token)


def _refuse_together(db: Database, number: int, statement: Statement) -> None:
    """Reject a statement that no transaction can have."""
    if isinstance(statement, Alteration | Deletion) and statement.returning is not None:
        raise _failed(number, "RETURNING clause is not supported in ExecuteTransaction.")
    checks = isinstance(statement, Existence)
    selection = statement.selection if checks else statement
    if isinstance(selection, Selection) and selection.index is not None:
        raise _failed(number, "Reads on indices are not supported within transactions.")
    table = table_named(db, statement.table)
    if not isinstance(selection, Selection):
        return
    try:
        found = single_item(table, selection.where)
    except ValidationException:
        return  # a value that does not fit the key cancels the transaction
    if checks and (found is None or not found.others):
        raise _failed(number, "EXISTS() must contain a single item read with additional condition")
    if not checks and (found is None or found.others):
        raise _failed(number, _NEEDS_KEY.format("ExecuteTransaction"))


def _failed(number: int, message: str) -> ValidationException:
    return ValidationException(f"Validation failed in TransactStatements[{number}]: {message}")


def _requested(selection: Selection) -> RequestedItem:
    def find(table: StoredTable) -> TargetItem:
        return _selected(table, selection, "ExecuteTransaction")

    return RequestedItem(selection.table, selection.projection, find)


def _selected(table: StoredTable, selection: Selection, operation: str) -> TargetItem:
    """Return the only item that a SELECT finds."""
    found = None if selection.index else single_item(table, selection.where)
    if found is None or found.others:
        raise ValidationException(_NEEDS_KEY.format(operation))
    return TargetItem(table, table.key_of(found.key))
