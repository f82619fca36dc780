"""A class name means one thing everywhere in sortkey."""

import ast
from collections import defaultdict
from pathlib import Path

import sortkey

SOURCE = Path(str(sortkey.__file__)).parent
_DYNAMODB = "DynamoDB's own word: in a request, in an expression, and as an operation of a client"
# Names that several classes have, and why.
SHARED = {
    "Delete": _DYNAMODB,
    "Get": _DYNAMODB,
    "Projection": _DYNAMODB,
    "Put": _DYNAMODB,
    "Query": _DYNAMODB,
    "Scan": _DYNAMODB,
    "Update": _DYNAMODB,
}


def declared_classes() -> dict[str, list[str]]:
    """Return the modules that declare a class of each name."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(file.relative_to(SOURCE)))
    return found


def test_a_class_name_is_declared_once_unless_there_is_a_reason() -> None:
    shared = {name: files for name, files in declared_classes().items() if len(files) > 1}

    assert {name: files for name, files in shared.items() if name not in SHARED} == {}


def test_no_reason_outlives_the_names_that_it_is_for() -> None:
    declared = declared_classes()

    assert [name for name in SHARED if len(declared[name]) < 2] == []  # remove these
