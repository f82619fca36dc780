"""``python -m benchmarks.load.server SYSTEM FILE``: serve a system's API on a file."""

import os
import sys
from importlib import import_module
from socket import create_server
from typing import Any

from sortkey import DB
from sortkey_systems.api.identity import Tokens
from sortkey_systems.api.serving import serve

KEY = "LOAD_TEST_KEY"


def main(system: str, file: str) -> None:
    """Print the port, and serve requests until interrupted."""
    generator: Any = import_module(f"sortkey_systems.{system}.generator")
    api: Any = import_module(f"sortkey_systems.{system}.api").api
    with (
        DB.connect(*generator.TABLES, target=file, cursor_secret=os.environ[KEY]) as db,
        create_server(("127.0.0.1", 0)) as listening,
    ):
        print(listening.getsockname()[1], flush=True)
        # A load test has few callers that send many requests.
        app = api.app(db, Tokens(bytes.fromhex(os.environ[KEY])), rates=None)
        serve(app, listening)


if __name__ == "__main__":
    main(*sys.argv[1:])
