"""What a distribution requires goes in too: on the target, with the extras that are used."""

from pathlib import Path

import pytest
from tests.assets.environments import install

from sortkey.assets.distributions import Installed
from sortkey.assets.errors import AssetError
from sortkey.assets.pins import Pin
from sortkey.assets.requirements import Closure, extras_named_by
from sortkey.assets.target import LambdaTarget


@pytest.fixture
def place(tmp_path: Path) -> Path:
    install(tmp_path, "a", {}, requires=["b", "c; extra == 'more'", "d; extra == 'most'"])
    install(tmp_path, "b", {}, requires=["a", "e; sys_platform == 'win32'"])
    for name in "cd":
        install(tmp_path, name, {})
    return tmp_path


def closure(place: Path, lent: dict[str, frozenset[str]] | None = None, **more: object) -> Closure:
    return Closure(Installed([str(place)]), LambdaTarget("3.13"), lent or {}, **more)  # type: ignore[arg-type]


def test_requirements_are_followed_in_a_circle_and_extras_are_not(place: Path) -> None:
    made = closure(place)

    made.add("a", "the application imports it")

    assert {name: need.reason for name, need in made.needed.items()} == {
        "a": "the application imports it",
        "b": "a requires it",
    }


def test_an_extra_is_followed_if_a_requirement_names_it(place: Path) -> None:
    made = closure(place)

    made.add("a", "")
    made.add("A[more]", "")

    assert sorted(made.needed) == ["a", "b", "c"]


def test_an_extra_is_followed_if_the_application_lends_it(place: Path) -> None:
    install(place, "app", {}, requires=["a[more]; extra == 'api'"])
    [app] = [Installed([str(place)]).get("app")]
    assert app
    lent = extras_named_by([app], {"a": Pin("a", "1.0", (), frozenset({"most"}))})

    made = closure(place, lent)
    made.add("a", "")

    assert sorted(made.needed) == ["a", "b", "c", "d"]


def test_markers_are_those_of_the_target(tmp_path: Path) -> None:
    install(
        tmp_path,
        "a",
        {},
        requires=[
            "old; python_version < '3.12'",
            "new; python_version >= '3.13'",
            "arm; platform_machine == 'aarch64'",
        ],
    )
    for name in ("old", "new", "arm"):
        install(tmp_path, name, {})
    made = Closure(Installed([str(tmp_path)]), LambdaTarget("3.13", "arm64"), {})

    made.add("a", "")

    assert sorted(made.needed) == ["a", "arm", "new"]


def test_what_the_target_requires_must_be_installed_here(tmp_path: Path) -> None:
    install(tmp_path, "a", {}, requires=["new; python_version >= '3.13'"])

    with pytest.raises(
        AssetError, match=r"new is not installed, but a requires it on Python 3\.13"
    ):
        closure(tmp_path).add("a", "")


def test_what_lambda_has_stays_out_unless_it_is_named(tmp_path: Path) -> None:
    install(tmp_path, "boto3", {}, requires=["botocore"])
    install(tmp_path, "botocore", {})
    install(tmp_path, "a", {}, requires=["boto3"])

    without, named = closure(tmp_path), closure(tmp_path)
    without.add("a", "")
    named.add("boto3", "", named=True)

    assert sorted(without.needed) == ["a"]
    assert [name for name in ("a", "boto3", "botocore", "c") if without.is_provided(name)] == [
        "boto3",
        "botocore",
    ]
    assert without.provided == {"boto3": "a requires it"}
    assert sorted(named.needed) == ["boto3", "botocore"]


def test_what_is_excluded_stays_out_with_what_only_it_requires(place: Path) -> None:
    install(place, "top", {}, requires=["a", "c"])
    made = closure(place, excluded=frozenset({"a"}))

    made.add("top", "")

    assert sorted(made.needed) == ["c", "top"]
