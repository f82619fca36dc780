"""Settings that are missing or wrong are refused in one message, which shows no secret."""

from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, SecretStr

from sortkey import Setting
from sortkey_systems.api.settings import Settings, Words, WrongSettings, environment_with_file
from sortkey_systems.api.stored_secrets import SecretUnavailable

PAGE = Setting("PAGE", "How many records a page has", "20")
NAME = Setting("NAME", "Who it is")
PLACES = Setting("PLACES", "Where it is, separated by spaces")
KEY = Setting("KEY", "What signs it", secret=True)
SPARE = Setting("SPARE", "What signs it later", secret=True)


class Example(Settings):
    """Settings of every kind."""

    page: Annotated[int, Field(ge=1, le=100), PAGE]
    name: Annotated[str, Field(max_length=10), NAME]
    places: Annotated[Words, PLACES] = ()
    key: Annotated[SecretStr, Field(min_length=8), KEY]
    spare: Annotated[SecretStr | None, SPARE] = None


GOOD = {"NAME": "ann", "KEY": "hush-hush"}


def test_values_are_typed_and_have_defaults() -> None:
    loaded = Example.load({**GOOD, "PLACES": " here  there "})

    assert (loaded.page, loaded.name, loaded.places) == (20, "ann", ("here", "there"))
    assert loaded.key.get_secret_value() == "hush-hush"
    assert loaded.spare is None
    assert Example.load({**GOOD, "PAGE": "5"}).page == 5


def test_an_empty_variable_is_not_set() -> None:
    assert Example.load({**GOOD, "PAGE": "", "SPARE": ""}).page == 20
    with pytest.raises(WrongSettings, match="NAME is not set"):
        Example.load({**GOOD, "NAME": ""})


def test_one_message_has_all_faults_in_order() -> None:
    with pytest.raises(WrongSettings) as wrong:
        Example.load({"PAGE": "many", "KEY": "hush"})

    assert str(wrong.value) == (
        "3 settings are missing or wrong:\n"
        "  PAGE is 'many', but must be a valid integer, unable to parse string as an integer\n"
        "    How many records a page has\n"
        "  NAME is not set\n"
        "    Who it is\n"
        "  KEY (or KEY_ARN) is wrong: it must have at least 8 characters\n"
        "    What signs it\n"
        "Set them in the environment, or on your own machine in the file .env."
    )
    assert [fault.setting for fault in wrong.value.faults] == [PAGE, NAME, KEY]


def test_a_secret_is_never_shown() -> None:
    loaded = Example.load(GOOD)

    assert "hush" not in f"{loaded} {loaded!r} {loaded.model_dump()}"
    with pytest.raises(WrongSettings) as wrong:
        Example.load({"NAME": "much too long for it", "KEY": "secret"})
    assert "secret" not in str(wrong.value)
    assert "much too long" in str(wrong.value)


@pytest.mark.parametrize("text", ["https://ann:hush@example.org", "hush" * 30])
def test_a_value_that_may_have_a_password_is_not_repeated(text: str) -> None:
    with pytest.raises(WrongSettings, match="NAME is wrong, but must have at most 10") as wrong:
        Example.load({**GOOD, "NAME": text})
    assert "hush" not in str(wrong.value)


@given(st.dictionaries(st.sampled_from(["PAGE", "NAME", "PLACES", "KEY"]), st.text(), min_size=2))
def test_any_text_is_a_value_or_a_fault(values: dict[str, str]) -> None:
    marked = {**values, "KEY": f"<hush>{values['KEY']}"} if "KEY" in values else values
    message = ""
    try:
        assert 1 <= Example.load(marked).page <= 100
    except WrongSettings as wrong:
        message = str(wrong)

    assert "<hush>" not in message


# Secrets that are stored elsewhere.


def reader(**stored: str) -> Any:
    def read(variable: str, arn: str) -> str:
        if arn not in stored:
            raise SecretUnavailable(f"there is none for {variable}")
        return stored[arn]

    return read


def test_a_secret_is_read_by_its_arn() -> None:
    loaded = Example.load({"NAME": "ann", "KEY_ARN": "arn"}, read_secret=reader(arn="from afar"))

    assert loaded.key.get_secret_value() == "from afar"


def test_a_secret_in_its_own_variable_comes_first() -> None:
    assert Example.load({**GOOD, "KEY_ARN": "arn"}, read_secret=reader()).key.get_secret_value()


def test_an_arn_is_only_for_secrets() -> None:
    with pytest.raises(WrongSettings, match="NAME is not set"):
        Example.load({"KEY": "hush-hush", "NAME_ARN": "arn"}, read_secret=reader(arn="x"))


def test_a_secret_that_cannot_be_read_is_one_of_the_faults() -> None:
    with pytest.raises(WrongSettings) as wrong:
        Example.load({"KEY_ARN": "arn", "SPARE_ARN": "arn"}, read_secret=reader())

    assert [fault.reason for fault in wrong.value.faults] == [
        "is not set",
        "cannot be used: there is none for KEY",
        "cannot be used: there is none for SPARE",
    ]


# The file.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("PAGE", "NAME", "PLACES", "KEY", "KEY_ARN", "SPARE", "AWS_LAMBDA_FUNCTION_NAME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_the_file_has_what_the_environment_has_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".env").write_text("NAME=ann\nKEY=from-the-file\nPAGE=7\n")
    monkeypatch.setenv("PAGE", "8")
    loaded = Example.load()

    assert (loaded.page, loaded.name, loaded.key.get_secret_value()) == (8, "ann", "from-the-file")


def test_without_a_file_the_environment_is_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in GOOD.items():
        monkeypatch.setenv(name, value)

    assert Example.load().name == "ann"


def test_a_function_on_lambda_has_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text("NAME=ann\nKEY=from-the-file\n")
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "join")

    with pytest.raises(WrongSettings, match="NAME is not set"):
        Example.load()


def test_a_file_with_a_fault_is_refused(folder: Path) -> None:
    (folder / ".env").write_text("NAME=ann\nhush-hush\n")

    with pytest.raises(WrongSettings, match=r"^\.env, line 2: write it as NAME=value$"):
        environment_with_file()


# The settings of the process.


def test_the_process_has_its_settings_until_a_variable_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wide(Example):
        """Settings with one more."""

    for name, value in GOOD.items():
        monkeypatch.setenv(name, value)
    started = Wide.start()

    assert Wide.current() is started
    assert Example.current() is started, "a wider class has these settings too"
    monkeypatch.setenv("NAME", "bob")
    assert Example.current().name == "bob"
    monkeypatch.delenv("NAME")
    with pytest.raises(WrongSettings):
        Example.current()


# The classes.


def test_the_declarations_are_the_parameters_of_a_stack() -> None:
    assert list(Example.declared().values()) == [PAGE, NAME, PLACES, KEY, SPARE]


def test_a_field_has_one_setting_and_a_secret_its_type() -> None:
    with pytest.raises(TypeError, match="annotate it with one Setting"):
        type("Bad", (Settings,), {"__annotations__": {"name": str}})
    with pytest.raises(TypeError, match="a secret has the type SecretStr"):
        type("Bad", (Settings,), {"__annotations__": {"key": Annotated[str, KEY]}})
    with pytest.raises(TypeError, match="a secret has the type SecretStr"):
        type("Bad", (Settings,), {"__annotations__": {"name": Annotated[SecretStr, NAME]}})
