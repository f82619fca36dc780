"""The application is what its handlers reach, in whole folders."""

import json
from pathlib import Path

import pytest
from tests.assets.environments import install, write

from sortkey.assets.application import Application
from sortkey.assets.distributions import Installed
from sortkey.assets.errors import AssetError
from sortkey.assets.search import Search


def walked(root: Path, handler: str, *others: Path, own: str = "") -> Application:
    search = Search(root)
    search.places = (*search.places, *map(str, others))
    installed = Installed(map(str, others))
    tops = frozenset({handler.partition(".")[0]})
    application = Application(search, installed, tops, frozenset({own}))
    application.walk([handler], "a handler is in it")
    return application


def files(application: Application) -> list[str]:
    return sorted(application.files())


def test_of_modules_beside_a_design_only_those_that_are_imported_go_in(tmp_path: Path) -> None:
    write(tmp_path, {"handlers.py": "import helping", "helping.py": "", "setup.py": "", "x.md": ""})

    assert files(walked(tmp_path, "handlers")) == ["handlers.py", "helping.py"]


def test_of_a_package_the_folders_go_in_that_are_reached_with_their_data(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "app/__init__.py": "",
            "app/reading/__init__.py": "",
            "app/reading/handlers.py": "def f():\n    from app import sending",
            "app/reading/beside.py": "import sqlalchemy_is_not_here",
            "app/reading/pages/note.html": "",
            "app/reading/types.pyi": "",
            "app/sending/__init__.py": "",
            "app/unused/__init__.py": "",
        },
    )

    application = walked(tmp_path, "app.reading.handlers")

    assert files(application) == [
        "app/__init__.py",
        "app/reading/__init__.py",
        "app/reading/beside.py",
        "app/reading/handlers.py",
        "app/reading/pages/note.html",
        "app/sending/__init__.py",
    ]
    assert application.left_out == ["app.unused"]
    assert application.missing == {}


def test_tests_hidden_files_and_bytecode_stay_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "app/__init__.py": "",
            "app/conftest.py": "",
            "app/test_app.py": "",
            "app/app_test.py": "",
            "app/tests/data.json": "",
            "app/.env": "SECRET=1",
            "app/.git/config": "",
            "app/__pycache__/app.cpython-311.pyc": "",
            "app/node_modules/a.js": "",
        },
    )

    assert files(walked(tmp_path, "app")) == ["app/__init__.py"]


def test_a_package_without_init_is_a_package(tmp_path: Path) -> None:
    write(tmp_path, {"app/handlers.py": "from app.helping import h", "app/helping.py": ""})

    assert files(walked(tmp_path, "app.handlers")) == ["app/handlers.py", "app/helping.py"]


def test_a_package_that_imports_by_computed_names_goes_in_whole(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "app/__init__.py": "",
            "app/handlers.py": "import_module(f'app.plugins.{name}')",
            "app/plugins/__init__.py": "",
            "app/plugins/mail.py": "import smtp_of_others",
            "app/tests/__init__.py": "",
        },
    )

    application = walked(tmp_path, "app.handlers")

    assert "app/plugins/mail.py" in files(application)
    assert "app/tests/__init__.py" not in files(application)
    assert application.whole == {"app": "app.handlers"}
    assert application.missing == {"smtp_of_others": "app.plugins.mail imports it"}


def test_a_package_that_is_included_goes_in_with_all_that_it_imports(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "app/__init__.py": "",
            "app/plugins/__init__.py": "",
            "app/plugins/mail.py": "import app.sending.smtp",
            "app/sending/__init__.py": "",
            "app/sending/smtp.py": "",
        },
    )
    application = walked(tmp_path, "app")

    assert application.include("app.plugins", "asked for")
    assert not application.include("app.unknown", "asked for")
    assert {"app/plugins/mail.py", "app/sending/smtp.py"} <= set(files(application))


def test_modules_of_wheels_are_required_and_not_walked(tmp_path: Path) -> None:
    others = tmp_path / "site-packages"
    install(others, "Others-Wheel", {"others/__init__.py": "import more"})
    write(tmp_path, {"handlers.py": "from others import thing"})

    application = walked(tmp_path, "handlers", others)

    assert application.required == {"others-wheel": "handlers imports it"}
    assert files(application) == ["handlers.py"]


def test_a_namespace_that_wheels_share_requires_the_one_that_is_meant(tmp_path: Path) -> None:
    others = tmp_path / "site-packages"
    install(others, "cloud-mail", {"cloud/mail/__init__.py": ""})
    install(others, "cloud-disk", {"cloud/disk/__init__.py": ""})
    write(tmp_path, {"handlers.py": "from cloud import mail"})

    application = walked(tmp_path, "handlers", others)

    assert application.required == {"cloud-mail": "handlers imports it"}
    assert files(application) == ["handlers.py"]


def test_an_application_may_be_installed_as_a_wheel_with_several_packages(tmp_path: Path) -> None:
    others = tmp_path / "site-packages"
    install(
        others,
        "my-app",
        {
            "app/__init__.py": "",
            "app/handlers.py": "import app.x, app_data.y",
            "app/x.py": "",
            "app/more/__init__.py": "",
            "app_data/y.py": "",
        },
    )

    application = walked(tmp_path, "app.handlers", others, own="my-app")

    assert files(application) == [
        *("app/__init__.py", "app/handlers.py", "app/x.py", "app_data/y.py"),
    ]
    assert application.left_out == ["app.more"]
    assert application.required == {}


def test_a_wheel_may_share_the_namespace_of_the_application(tmp_path: Path) -> None:
    others = tmp_path / "site-packages"
    install(others, "company-log", {"company/log/__init__.py": "import more"})
    write(tmp_path, {"company/app/handlers.py": "import company.log"})

    application = walked(tmp_path, "company.app.handlers", others)

    assert application.required == {"company-log": "company.app.handlers imports it"}
    assert files(application) == ["company/app/handlers.py"]
    assert application.left_out == []


def test_an_editable_install_is_walked_like_a_folder(tmp_path: Path) -> None:
    project, others = tmp_path / "project", tmp_path / "site-packages"
    write(project, {"shared/__init__.py": "import handlers_of_others"})
    origin = {"url": project.as_uri(), "dir_info": {"editable": True}}
    install(others, "shared", {"shared.pth": str(project)}, direct_url=json.dumps(origin))
    write(tmp_path, {"handlers.py": "import shared"})

    application = walked(tmp_path, "handlers", others, project)

    assert files(application) == ["handlers.py", "shared/__init__.py"]
    found = application.search.find("shared")
    assert found
    described = application.installed.describing(found)
    assert described
    assert described.version == "1.0"


def test_the_standard_library_stays_out(tmp_path: Path) -> None:
    write(tmp_path, {"handlers.py": "import json, asyncio.events, xml.etree.ElementTree"})

    assert files(walked(tmp_path, "handlers")) == ["handlers.py"]


def test_a_binary_of_the_application_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"app/__init__.py": "", "app/data/fast.so": ""})

    with pytest.raises(AssetError, match=r"fast\.so is compiled for this machine"):
        walked(tmp_path, "app").files()


def test_a_compiled_module_of_the_application_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"app/__init__.py": "import app.fast", "app/fast.abi3.so": ""})

    with pytest.raises(AssetError, match=r"app\.fast of the application is compiled"):
        walked(tmp_path, "app")


def test_a_module_that_comes_from_several_places_is_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    write(one, {"app/handlers.py": "import app.helping", "app/same.json": "1"})
    write(two, {"app/helping.py": "", "app/same.json": "2"})

    with pytest.raises(AssetError, match=r"app/same\.json of the application comes from several"):
        walked(one, "app.handlers", two).files()


def test_what_is_not_python_is_named_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, {"handlers.py": "import json\ndef f(:\n"})

    with pytest.raises(AssetError, match=r"handlers\.py:2: this is not Python"):
        walked(tmp_path, "handlers")
