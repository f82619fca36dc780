"""The statement of a request, and the table that it names."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sortkey.engine.database import Database
from sortkey.engine.promptness import refuse_long
from sortkey.engine.table import StoredTable
from sortkey.partiql.statements import Statement, read_statement
from sortkey.wire.errors import ValidationException
from sortkey.wire.values import read_value

_TABLE_NAME = re.compile(r"(arn:[^/]*:table/)?[a-zA-Z0-9_.-]{3,255}")
# About how many microseconds it takes to read a character of a dense statement.
_CHARACTER_STEPS = 4


def refuse_long_statements(requests: Sequence[Mapping[str, Any]]) -> None:
    """Raise an error if the call must be prompt and these statements take long to read."""
    refuse_long(sum(len(each["Statement"]) for each in requests) * _CHARACTER_STEPS)


def statement_of(request: Mapping[str, Any]) -> Statement:
    """Return the statement of a request, with its parameters filled in."""
    parameters = [read_value(value)[0] for value in request.get("Parameters", ())]
    return read_statement(request["Statement"], parameters)


def table_named(db: Database, name: str) -> StoredTable:
    """Return the table that a statement names."""
    if not _TABLE_NAME.fullmatch(name):
        raise ValidationException(
            "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', "
            "'0-9', '-', '_', '.'."
        )
    return db.table(name)
