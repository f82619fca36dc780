"""An operation that anyone can call, and that stores something, has a rate of its own."""

from importlib import import_module
from typing import Any

import pytest
from tests.systems.test_schemas import SYSTEMS, in_memory

from sortkey_systems.api.identity import Tokens


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_operation_without_a_token_only_reads_or_has_a_rate(system: str) -> None:
    api: Any = import_module(f"sortkey_systems.{system}.api").api
    with in_memory(system) as db:
        paths = api.app(db, Tokens()).openapi()["paths"]
    declared = [one for part in (api, *api.parts) for one in part.declared]
    limited = {(one.method.lower(), one.path) for one in declared if one.rate}
    public = {
        (method, path)
        for path, operations in paths.items()
        for method, operation in operations.items()
        if "security" not in operation and method != "get"
    }

    assert public == limited
