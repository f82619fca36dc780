"""Handlers are imported in a fresh process, which says what they load and what failed."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.assets.environments import write

from sortkey import Bucket, Function, Queue, Role, Setting
from sortkey.assets import loading
from sortkey.assets.errors import AssetError
from sortkey.assets.loading import Loaded, load, unset
from sortkey.design.declaring.design import Design, design_of

pytestmark = pytest.mark.usefixtures("unmeasured")
PYTHON = Path(sys.executable)


def design(*handlers: str, **more: object) -> Design:
    module = ModuleType("app")
    for number, handler in enumerate(handlers):
        name = f"f{number}"
        vars(module)[name] = Function(name, handler, Role("reader", []), **more)  # type: ignore[arg-type]
    return design_of("app", [module])


def loaded(folder: Path, source: str, **more: object) -> Loaded:
    write(folder, {"handlers.py": source})
    return load(PYTHON, design("handlers:read", **more), [str(folder)], isolated=True)


def test_the_modules_that_handlers_load_are_named(tmp_path: Path) -> None:
    write(tmp_path, {"helping.py": "print('is not the answer')"})

    found = loaded(tmp_path, "import helping\ndef read(event, context): ...")

    assert {"handlers", "helping"} <= set(found.modules)
    assert "sys" not in found.modules
    assert found.failures == ()


@pytest.mark.parametrize(
    ("source", "message", "missing"),
    [
        ("import nothing", r"ModuleNotFoundError: No module named 'nothing' \(.*py:1\)", "nothing"),
        ("x = 1\ndef read(:", r"SyntaxError: .* \(.*/handlers\.py:2\)", ""),
        ("def write(): ...", "module 'handlers' has no attribute 'read'$", ""),
        ("read = 1", "read is not callable$", ""),
    ],
)
def test_a_handler_that_cannot_be_imported_is_final(
    source: str, message: str, missing: str, tmp_path: Path
) -> None:
    [failure] = loaded(tmp_path, source).failures

    assert failure.is_final
    assert failure.missing == missing
    assert re.search(f"^handlers:read cannot be imported: .*{message}", str(failure))


def test_an_error_of_the_application_may_depend_on_its_variables(tmp_path: Path) -> None:
    source = "import os\nKEY = os.environ['NOTHING_HAS_THIS']\ndef read(): ..."

    [failure] = loaded(tmp_path, source).failures

    assert not failure.is_final
    assert failure.place == f"{tmp_path}/handlers.py:2"


def test_the_variables_of_a_function_are_set(tmp_path: Path) -> None:
    source = """
import os
assert os.environ["ENVIRONMENT"] == "dev"
assert os.environ["LEVEL"] == "INFO"
assert os.environ["PAGE"] == "20"
assert os.environ["QUEUE_ROOM_EVENTS"] == "file:///queues/room-events"
assert os.environ["BUCKET_REPORTS"] == "file:///buckets/reports"
assert "AWS_LAMBDA_FUNCTION_NAME" not in os.environ
def read(): ...
"""
    found = loaded(
        tmp_path,
        source,
        environment={"LEVEL": "INFO", "PAGE": Setting("PAGE", "Size", default="20")},
        sends_to=[Queue("room-events")],
        writes=[Bucket("reports")],
    )

    assert found.failures == ()


def test_a_value_of_this_process_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGE", "50")
    source = "import os\nassert os.environ['PAGE'] == '50'\ndef read(): ..."

    found = loaded(tmp_path, source, environment={"PAGE": Setting("PAGE", "Size", default="20")})

    assert found.failures == ()


def test_settings_without_a_value_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERE", "1")
    settings = {
        name: Setting(name, "A value", default=default)
        for name, default in (("HERE", None), ("DEFAULT", "1"), ("MISSING", None))
    }

    assert unset(design("handlers:read", environment=settings).functions) == ["MISSING"]


def test_one_failure_does_not_hide_the_others(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "1 / 0", "b.py": "", "c.py": "def f(): ..."})

    found = load(PYTHON, design("a:f", "b:f", "c:f"), [str(tmp_path)], isolated=True)

    assert [each.handler for each in found.failures] == ["a:f", "b:f"]
    assert "c" in found.modules


def test_threads_of_the_application_do_not_keep_the_process(tmp_path: Path) -> None:
    source = "import threading\nthreading.Thread(target=threading.Event().wait).start()\n"

    assert loaded(tmp_path, f"{source}def read(): ...").failures == ()


def test_an_interpreter_that_ends_is_reported(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="the interpreter ended with status 3"):
        loaded(tmp_path, "import os\nos._exit(3)")


def test_an_import_that_waits_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_SECONDS", 0.5)

    with pytest.raises(AssetError, match="is there a module that waits"):
        loaded(tmp_path, "import threading\nthreading.Event().wait()")
