"""The commands of systems/Dockerfile, run in empty folders, make an image that serves."""

import json
import re
import shutil
import signal
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from socket import create_server

import pytest
from tests.packaging.dockerfile import Image, Stage, read_dockerfile
from tests.systems.api.issuer import running_issuer
from tests.systems.api.serving import OWN, environment_of

ROOT = Path(__file__).parents[2]
SYSTEMS = ROOT / "systems"
STAGES = read_dockerfile(SYSTEMS / "Dockerfile")
FINAL = STAGES[-1]
OTHERS = sorted(OWN.keys() - {"oneonone"})
PINNED = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)


def pins(path: Path) -> dict[str, str]:
    return dict(PINNED.findall(path.read_text()))


# What it says.


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name or "image")
def test_the_base_has_a_version_that_the_packages_support(stage: Stage) -> None:
    found = re.fullmatch(r"python:(3\.\d+)-slim-[a-z]+", stage.base)
    assert found
    classifiers = tomllib.loads((SYSTEMS / "pyproject.toml").read_text())["project"]["classifiers"]
    assert f"Programming Language :: Python :: {found[1]}" in classifiers


def test_the_image_is_not_run_as_root_and_gets_signals_itself() -> None:
    user, group = FINAL.the("USER").text.split(":")

    assert int(user) > 0
    assert int(group) > 0
    assert FINAL.command == ["uvicorn"]
    assert FINAL.health_check[0] == "python"
    assert FINAL.the("EXPOSE").text == "8000"


def test_nothing_is_installed_in_the_image() -> None:
    assert [one.text for one in FINAL.all("RUN")] == ["python -m pip uninstall --quiet --yes pip"]
    assert [one.text for one in FINAL.all("COPY")] == ["--from=build /app /app"]


@pytest.mark.parametrize("name", ["requirements.txt", "build-requirements.txt"])
def test_its_packages_have_hashes_and_are_those_that_the_tests_ran_with(name: str) -> None:
    found = pins(SYSTEMS / name)
    tested = pins(ROOT / "requirements/dev.txt")
    text = (SYSTEMS / name).read_text()

    assert found
    assert {package: tested.get(package) for package in found} == found
    assert "://" not in text
    for block in re.split(r"^(?=[a-z0-9-]+==)", text, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block


def test_it_has_what_the_apis_need_and_no_more() -> None:
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    theirs = tomllib.loads((SYSTEMS / "pyproject.toml").read_text())["project"]
    extras = ours["optional-dependencies"]
    needed = [
        *ours["dependencies"],
        *(one for extra in ("aws", "secrets", "serve") for one in extras[extra]),
        *theirs["optional-dependencies"]["api"],
    ]
    names = {re.split(r"[^\w-]", one)[0] for one in needed}
    asked = (SYSTEMS / "requirements.in").read_text().splitlines()

    assert names <= set(pins(SYSTEMS / "requirements.txt"))
    assert {one for one in asked if one[0] != "#"} == {
        re.split(r"[^\w-]", one)[0] for one in theirs["optional-dependencies"]["api"]
    }
    assert not {"hypothesis", "pytest", "sqlalchemy"} & set(pins(SYSTEMS / "requirements.txt"))


def test_only_what_is_copied_is_sent_and_never_settings() -> None:
    lines = (SYSTEMS / "Dockerfile.dockerignore").read_text().splitlines()
    sent = {line[1:] for line in lines if line.startswith("!")}
    copied = {
        word.split("/")[0]
        for stage in STAGES
        for one in stage.all("COPY")
        if not one.text.startswith("--from")
        for word in one.words[:-1]
    }

    assert lines[1] == "*"
    assert sent == copied
    assert "**/.env*" in lines


# What it does.


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    folder = Path(tempfile.mkdtemp(prefix="image-"))
    try:
        built = Image(ROOT, folder, {})
        built.build(STAGES)
        yield built
    finally:
        shutil.rmtree(folder)


def free_port() -> int:
    with create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextmanager
def started(image: Image, **environ: str) -> Generator[subprocess.Popen[str]]:
    """Start CMD as a container would, with the variables of the image and these.

    It must write nothing: the user of the image could not.
    """
    before = written(image)
    with subprocess.Popen(
        FINAL.command,
        env={**image.environ, **environ, "UVICORN_HOST": "127.0.0.1"},
        cwd=image.place,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()
    assert written(image) == before


def written(image: Image) -> dict[Path, int]:
    """The files of the image with the times of their last change."""
    return {path: path.stat().st_mtime_ns for path in image.place.rglob("*")}


def asked(port: int, path: str) -> tuple[int, str]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def until_alive(process: subprocess.Popen[str], port: int) -> None:
    for _ in range(600):
        assert process.poll() is None, process.communicate()[0]
        try:
            assert asked(port, "/healthz")[0] == 200
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("it does not answer")


@pytest.mark.acceptance
@pytest.mark.parametrize(
    "system", ["oneonone", *(pytest.param(one, marks=pytest.mark.slow) for one in OTHERS)]
)
def test_the_image_serves_a_system_and_stops_when_it_is_told(image: Image, system: str) -> None:
    port = free_port()
    with running_issuer() as issuer:
        environ = {
            **environment_of(system, issuer),
            "UVICORN_APP": f"sortkey_systems.{system}.asgi:app",
            "UVICORN_PORT": str(port),
            "LOG_FORMAT": "json",
        }
        with started(image, **environ) as process:
            until_alive(process, port)
            health = subprocess.run(
                FINAL.health_check, env={**image.environ, **environ}, cwd=image.place, check=False
            )
            ready = asked(port, "/readyz")
            refused = asked(port, "/me")
            process.send_signal(signal.SIGTERM)
            output, _ = process.communicate(timeout=60)

    assert health.returncode == 0
    assert ready == (200, '{"status":"ready"}')
    assert refused[0] in {401, 404}
    # As the first process of a container it ends with 0: there, the signal does not end it again.
    assert process.returncode in {0, -signal.SIGTERM}
    assert "Traceback" not in output
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    assert [one["path"] for one in lines if one["logger"] == "sortkey_systems.access"] == ["/me"]
    assert lines[-1]["message"].startswith("Finished server process")


@pytest.mark.slow
def test_the_image_is_the_one_system_unless_told_otherwise(image: Image) -> None:
    assert image.environ["UVICORN_APP"] == "sortkey_systems.oneonone.asgi:app"


@pytest.mark.acceptance
def test_wrong_settings_end_the_image_with_one_message(image: Image) -> None:
    with started(image, UVICORN_PORT=str(free_port()), LOG_LEVEL="loud") as process:
        output, _ = process.communicate(timeout=60)

    assert process.returncode == 3
    assert "Traceback" not in output
    assert "7 settings are missing or wrong" in output
    for name in ("ISSUER is not set", "AUDIENCE is not set", "ENVIRONMENT is not set", "'loud'"):
        assert name in output


@pytest.mark.acceptance
def test_the_image_has_no_build_tools_and_no_sources_of_tests(image: Image) -> None:
    names = {path.name for path in (image.place / "lib").glob("python*/site-packages/*")}
    programs = {path.name for path in (image.place / "bin").iterdir()}

    assert {"sortkey", "sortkey_systems", "botocore", "uvloop"} <= names
    assert not {"pip", "setuptools", "hatchling", "pytest", "tests", "sqlalchemy"} & names
    assert not {"pip", "uv", "hatchling"} & programs
    kept = [
        subprocess.run([*words], env=image.environ, check=False, capture_output=True).returncode
        for words in (["python", "-m", "pip", "--version"], ["python", "-c", "import hatchling"])
    ]
    assert kept == [1, 1]


@pytest.mark.slow
def test_a_request_under_way_is_answered_before_the_image_stops(image: Image) -> None:
    port = free_port()
    with running_issuer() as issuer:
        issuer.go_on.clear()  # a caller waits for the keys
        environ = {**environment_of("oneonone", issuer), "UVICORN_PORT": str(port)}
        with started(image, **environ) as process:
            until_alive(process, port)
            headers = {"authorization": f"Bearer {issuer.token()}"}
            with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
                connection.request("GET", "/me", headers=headers)
                time.sleep(0.5)
                process.send_signal(signal.SIGTERM)
                time.sleep(0.5)
                issuer.go_on.set()
                status = connection.getresponse().status
            output, _ = process.communicate(timeout=60)

    # On a machine that is very slow, the keys come too late.
    assert status in {200, 503}
    assert "Traceback" not in output
