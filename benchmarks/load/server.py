"""``python -m benchmarks.load.server SYSTEM FILE``: a system's API on a file, as a process."""

import os
import sys
from importlib import import_module
from typing import Any

from systems.api.identity import Tokens
from systems.api.serving import listen, serve

from sortkey import DB

KEY = "LOAD_TEST_KEY"


def main(system: str, file: str) -> None:
    """Print the port, and answer until interrupted."""
    generator: Any = import_module(f"systems.{system}.generator")
    api: Any = import_module(f"systems.{system}.api").api
    with DB.connect(*generator.TABLES, target=file) as db, listen(0) as listening:
        print(listening.getsockname()[1], flush=True)
        serve(api.app(db, Tokens(bytes.fromhex(os.environ[KEY]))), listening)


if __name__ == "__main__":
    main(*sys.argv[1:])
