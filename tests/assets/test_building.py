"""An asset has what its handlers need and nothing else, and runs where there is nothing else."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from tests.assets import notes
from tests.assets.environments import install, write
from tests.assets.here import HERE, PYTHON
from tests.assets.running import run_handler, unpack

from sortkey import DB, Design, load_design
from sortkey.assets import asset as limits
from sortkey.assets import building
from sortkey.assets.asset import Asset
from sortkey.assets.building import build
from sortkey.assets.choices import PackageChoices
from sortkey.assets.errors import AssetError

pytestmark = pytest.mark.usefixtures("unmeasured")

QUICK = PackageChoices(HERE, bytecode=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "project", notes.FILES)


def design(project: Path) -> Design:
    return load_design(project / "notes/design.py")


def asset(project: Path, choices: PackageChoices = QUICK) -> Asset:
    return build(design(project), project, project.parent / "asset.zip", choices)


def names(made: Asset) -> set[str]:
    return set(ZipFile(made.file).namelist())


def test_the_application_goes_in_and_nothing_beside_it(project: Path) -> None:
    made = asset(project)

    of_app = {name for name in names(made) if name.startswith("notes") or "/" not in name}
    assert of_app - {"typing_extensions.py"} == {
        *(f"notes/{name}.py" for name in ("__init__", "design", "handlers", "changes")),
        *("notes/rendering.py", "notes/page.html"),
    }
    assert made.left_out == ("notes.admin",)
    assert made.notes == ()
    assert made.tried == PYTHON


@pytest.mark.acceptance
def test_only_the_distributions_go_in_that_the_handlers_need(project: Path) -> None:
    made = asset(project)

    assert [part.name for part in made.parts] == [
        *("notes", "sortkey", "annotated-types", "httptools", "orjson", "pydantic"),
        *("pydantic-core", "typing-extensions", "typing-inspection"),
    ]
    assert {part.origin for part in made.parts[2:]} == {"environment"}
    assert sum(part.size for part in made.parts) == made.unzipped
    assert not [name for name in names(made) if "__pycache__" in name or "RECORD" in name]
    assert not {name for name in names(made) if name.startswith(("sortkey/cli/", "sortkey/synth/"))}


# -- reproducible ----------------------------------------------------------------------------------


@pytest.mark.acceptance
def test_two_assets_of_one_project_are_equal(project: Path, tmp_path: Path) -> None:
    first = asset(project, PackageChoices(HERE)).file.read_bytes()
    elsewhere = tmp_path / "a/longer/path"
    for name in reversed(list(notes.FILES)):
        write(elsewhere, {name: notes.FILES[name]})
        os.utime(elsewhere / name, (1, 1))
    (elsewhere / "notes/__pycache__").mkdir()
    (elsewhere / "notes/__pycache__/x.pyc").touch()

    # The asset of the last time is in a folder that is packaged, and not in the next one.
    (elsewhere / "notes/asset.zip").write_text("earlier")

    second = build(
        design(elsewhere), elsewhere, elsewhere / "notes/asset.zip", PackageChoices(HERE)
    )

    assert second.file.read_bytes() == first
    assert second.bytecode == PYTHON


# -- it works --------------------------------------------------------------------------------------


@pytest.fixture
def call(
    project: Path, serve: Callable[..., Any], tmp_path: Path
) -> Callable[[str, Mapping[str, Any]], Any]:
    """Call a handler of the packaged asset, where nothing else but Python can be imported."""
    made = asset(project, PackageChoices(HERE))
    home = unpack(made.file, tmp_path / "var/task")
    _, port = serve()
    url = f"http://127.0.0.1:{port}"
    [table] = design(project).tables
    with DB.endpoint(url, table) as db:
        db.create_tables()
    known = {"SORTKEY_TARGET": url, "ENVIRONMENT": "dev", "AWS_REGION": "eu-west-1"}

    return lambda handler, event: run_handler(home, handler, event, known)


@pytest.mark.acceptance
def test_every_handler_runs_from_the_asset_alone(call: Callable[..., Any]) -> None:
    message = {"messageId": "m1", "body": json.dumps({"note_id": "n1", "text": "hello"})}
    image = {"PK": {"S": "NOTE#n1"}, "SK": {"S": "NOTE"}, "note_id": {"S": "n1"}}
    change = {
        "eventID": "e1",
        "eventName": "INSERT",
        "eventSource": "aws:dynamodb",
        "eventSourceARN": "arn:aws:dynamodb:eu-west-1:1:table/App/stream/x",
        "dynamodb": {
            "ApproximateCreationDateTime": 1700000000,
            "Keys": {name: image[name] for name in ("PK", "SK")},
            "NewImage": {**image, "text": {"S": "bad"}},
            "SequenceNumber": "111",
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    }

    received = call("notes.handlers:receive", {"Records": [message]})
    reminded = call("notes.handlers:remind", {"time": "2030-01-01T00:00:00Z"})
    read = call("notes.handlers:read", {"pathParameters": {"note_id": "n1"}})
    copied = call("notes.changes:handler", {"Records": [change]})

    assert received == {"batchItemFailures": []}
    assert reminded == {"done": 1}
    assert read == {"statusCode": 200, "body": "<p>hello</p>"}
    assert copied == {"batchItemFailures": [{"itemIdentifier": "111"}]}


@pytest.mark.acceptance
def test_the_functions_of_a_system_are_packaged_without_the_other_systems(tmp_path: Path) -> None:
    ad_hoc = """
from sortkey import Function
from sortkey_systems.oneonone.design.functions import member

join = Function("join", "sortkey_systems.oneonone.functions:join", member)
"""
    write(tmp_path, {"design.py": ad_hoc})

    made = build(load_design(tmp_path / "design.py"), tmp_path, tmp_path / "a.zip", QUICK)

    folders = {name.split("/")[1] for name in names(made) if name.startswith("sortkey_systems/")}
    assert folders == {"__init__.py", "py.typed", "oneonone", "api"}
    assert not {"fastapi", "uvicorn", "sqlalchemy", "click"} & {part.name for part in made.parts}
    assert made.tried == PYTHON


# -- it is refused ---------------------------------------------------------------------------------


def test_a_design_without_functions_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"design.py": "from sortkey import Table\nclass App(Table): ..."})

    with pytest.raises(AssetError, match="the design design has no functions: declare a Function"):
        build(load_design(tmp_path / "design.py"), tmp_path, tmp_path / "asset.zip", QUICK)


@pytest.mark.parametrize(
    ("handler", "message"),
    [
        ("notes.gone:read", r'the handler of Function "read", .* there is no module notes\.gone'),
        ("notes.handlers:gone", r"notes\.handlers:gone cannot be imported: .* no attribute 'gone'"),
        (
            "notes.broken:read",
            r"notes\.broken:read cannot be imported: ZeroDivisionError: .*:2\)",
        ),
    ],
)
def test_a_handler_that_cannot_be_imported_is_refused(
    handler: str, message: str, project: Path
) -> None:
    write(
        project,
        {
            "notes/broken.py": "# nothing\n1 / 0",
            "notes/design.py": notes.DESIGN.replace("notes.handlers:read", handler),
        },
    )

    with pytest.raises(AssetError, match=message):
        asset(project)

    assert list(project.parent.iterdir()) == [project]


@pytest.mark.acceptance
def test_an_import_that_needs_a_setting_goes_on_with_a_note(project: Path) -> None:
    write(
        project,
        {
            "notes/handlers.py": f"import os\nos.environ['NOTES_KEY']\n{notes.HANDLERS}",
            "notes/design.py": notes.DESIGN.replace(
                "reader, [Route",
                'reader, environment={"K": Setting("NOTES_KEY", "A key")}, triggers=[Route',
            ).replace("from sortkey import (", "from sortkey import (Setting, "),
        },
    )

    made = asset(project)

    assert made.tried is None
    assert [note.partition(": KeyError")[0] for note in made.notes] == [
        "the import of notes.handlers:read and 2 more stopped",
        "notes.handlers:read and 2 more could not be imported from the asset",
    ]


@pytest.mark.acceptance
def test_an_asset_that_lacks_a_module_is_refused(project: Path) -> None:
    dynamic = "import sys\nname = 'yaml'\nexec(f'import {name}')\n"
    write(project, {"notes/handlers.py": dynamic + notes.HANDLERS})
    choices = PackageChoices(HERE, excluded=("pyyaml",), bytecode=False)

    with pytest.raises(
        AssetError,
        match=r"from the asset alone: ModuleNotFoundError: No module named 'yaml' .*--include yaml",
    ):
        asset(project, choices)

    assert list(project.parent.iterdir()) == [project]


def test_an_asset_that_is_too_large_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "MOST_UNZIPPED", 5 * 1024 * 1024)

    with pytest.raises(AssetError, match=r"more than the 5 MB that Lambda .* are pydantic-core \("):
        asset(project)

    assert list(project.parent.iterdir()) == [project]


@pytest.mark.acceptance
def test_an_archive_that_must_go_through_s3_is_noted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "MOST_ZIPPED", 1024 * 1024)

    assert "to S3, as the CDK does" in asset(project).notes[-1]


def test_the_limits_are_those_of_lambda() -> None:
    assert (limits.MOST_ZIPPED, limits.MOST_UNZIPPED) == (52_428_800, 262_144_000)


@pytest.mark.acceptance
def test_two_distributions_with_one_file_are_refused(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "1", tmp_path / "2"
    install(one, "drawing", {"drawing.py": "", "common/colours.py": "RED = 1"})
    install(two, "painting", {"painting.py": "", "common/colours.py": "RED = 2"})
    monkeypatch.setattr(sys, "path", [*sys.path, str(one), str(two)])
    write(project, {"notes/rendering.py": "import drawing, painting\ndef page(text): ..."})

    with pytest.raises(AssetError, match=r"common/colours\.py comes from several places: .*draw"):
        asset(project)
