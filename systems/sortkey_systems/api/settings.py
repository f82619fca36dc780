"""Settings: the values of a process, typed, read from its environment when it starts.

Each field has a `Setting`, which names its variable and describes it once: for the program, for the
template that deploys it, and for the documentation. Values come from the environment, else from the
file ``.env`` of the current folder, else from the default of the `Setting`. The secret ``X`` is in
the variable ``X``, or in AWS Secrets Manager: then ``X_ARN`` has its ARN.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Self, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, SecretStr, ValidationError

from sortkey import Setting
from sortkey_systems.api.env_file import FILE, EnvFileError, read_env_file
from sortkey_systems.api.stored_secrets import SecretUnavailable, StoredSecrets

# A function on Lambda gets all its values from its environment.
ON_LAMBDA = "AWS_LAMBDA_FUNCTION_NAME"
_LONGEST_SHOWN = 60
# Every message has some text as short as this.
_SHORTEST_HIDDEN = 3
# How the messages of Pydantic and of our validators begin: "Input should be ...", "must be ...".
_OPENING = re.compile(r"^(Value error, )?(\w+ should |must )?")
# What Pydantic adds to a wrong length: the length of a secret is a part of it.
_ENDING = re.compile(r" after validation, not \d+$")

# Returns the value of a variable from the stored secret with an ARN.
SecretReader = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Fault:
    """A setting that is missing or wrong; ``reason`` never has the value of a secret."""

    setting: Setting
    reason: str

    def __str__(self) -> str:
        return f"  {names_of(self.setting)} {self.reason}\n    {self.setting.description}"


class WrongSettings(Exception):  # noqa: N818 - it says what happened
    """Settings are missing or wrong; the message has all of them."""

    def __init__(self, message: str, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(message)
        self.faults = faults

    @classmethod
    def of(cls, faults: tuple[Fault, ...]) -> Self:
        """Return the error for these faults."""
        count = "1 setting is" if len(faults) == 1 else f"{len(faults)} settings are"
        listed = "\n".join(map(str, faults))
        place = f"Set them in the environment, or on your own machine in the file {FILE}."
        return cls(f"{count} missing or wrong:\n{listed}\n{place}", faults)


def _words(value: object) -> object:
    return tuple(value.split()) if isinstance(value, str) else value


# Several values in one variable, separated by spaces.
Words = Annotated[tuple[str, ...], BeforeValidator(_words)]


class Settings(BaseModel):
    """Base of settings: ``page: Annotated[int, Setting("PAGE", "Records of a page", "20")]``.

    A secret has the type `SecretStr`, which no log and no message shows.
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Refuse a field without its `Setting`, and a secret that could be shown."""
        for name, setting in cls.declared().items():
            annotation = cls.model_fields[name].annotation
            is_hidden = SecretStr in (annotation, *get_args(annotation))
            if setting.secret is not is_hidden:
                raise TypeError(f"{cls.__name__}.{name}: a secret has the type SecretStr")

    @classmethod
    def declared(cls) -> dict[str, Setting]:
        """Return the `Setting` of each field, in order: variables, or parameters of a stack."""
        return {name: _setting_of(cls, name) for name in cls.model_fields}

    @classmethod
    def load(
        cls, environ: Mapping[str, str] | None = None, *, read_secret: SecretReader | None = None
    ) -> Self:
        """Return the settings in this environment.

        Raises:
            WrongSettings: Some are missing or wrong; the message has all of them.
        """
        values = environment_with_file() if environ is None else environ
        read = read_secret or StoredSecrets().read
        settings = cls.declared()
        texts: dict[str, str] = {}
        reasons: dict[str, str] = {}
        for name, setting in settings.items():
            try:
                text = _text_of(setting, values, read)
            except SecretUnavailable as error:
                reasons[name] = f"cannot be used: {error}"
            else:
                if text is not None:
                    texts[name] = text
        try:
            # Even if a secret could not be read: one message has all faults.
            loaded = cls.model_validate(texts)
        except ValidationError as error:
            reasons = {**dict(_reasons(error, settings, texts)), **reasons}
        else:
            if not reasons:
                return loaded
        faults = (Fault(settings[name], reasons[name]) for name in settings if name in reasons)
        raise WrongSettings.of(tuple(faults))

    @classmethod
    def start(cls) -> Self:
        """Load the settings for this process, where `current` finds them."""
        loaded = cls.load()
        _CURRENT[cls] = cls.texts_in_environment(), loaded
        return loaded

    @classmethod
    def current(cls) -> Self:
        """Return the settings of this process; load them at first, or if a variable has changed.

        Settings with more fields will do, so a service reads its secrets once.
        """
        for kind, (found, loaded) in tuple(_CURRENT.items()):  # other threads may add some
            if isinstance(loaded, cls) and found == kind.texts_in_environment():
                return loaded
        return cls.start()

    @classmethod
    def texts_in_environment(cls) -> tuple[str | None, ...]:
        """Return the texts of the variables, to notice that one has changed."""
        return tuple(map(os.environ.get, _variables_of(cls)))


@cache
def _variables_of(cls: type[Settings]) -> tuple[str, ...]:
    settings = cls.declared().values()
    return tuple(name for one in settings for name in (one.variable, one.deployed_variable))


# The settings of this process, with the variables that they were read from.
_CURRENT: dict[type[Settings], tuple[tuple[str | None, ...], Settings]] = {}


def environment_with_file(folder: Path | None = None) -> Mapping[str, str]:
    """Return the environment, with the values of the file ``.env`` that it does not have."""
    if ON_LAMBDA in os.environ:
        return os.environ
    try:
        return {**read_env_file((folder or Path.cwd()) / FILE), **os.environ}
    except EnvFileError as error:
        raise WrongSettings(str(error)) from None


def names_of(setting: Setting) -> str:
    """Return the variable of a setting; that of a secret with the one for its ARN."""
    own = setting.variable
    return f"{own} (or {setting.deployed_variable})" if setting.secret else own


def _setting_of(cls: type[Settings], name: str) -> Setting:
    found = [one for one in cls.model_fields[name].metadata if isinstance(one, Setting)]
    if len(found) != 1:
        raise TypeError(f"{cls.__name__}.{name}: annotate it with one Setting")
    return found[0]


def _text_of(setting: Setting, values: Mapping[str, str], read: SecretReader) -> str | None:
    """Return the text of a setting, or None if it is not set; an empty variable is not set."""
    if found := values.get(setting.variable):
        return found
    if setting.secret and (arn := values.get(setting.deployed_variable)):
        return read(setting.variable, arn)
    return setting.default


def _reasons(
    error: ValidationError, settings: Mapping[str, Setting], texts: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the fields with their faults; the text of a secret is in none of them."""
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        name = str(fault["loc"][0])
        text = texts.get(name)
        if text is None:
            yield name, "is not set"
            continue
        said = f"must {_ENDING.sub('', _OPENING.sub('', fault['msg']))}"
        if settings[name].secret:
            # The type of a secret counts its characters as items.
            has_text = len(text) > _SHORTEST_HIDDEN and text in said
            hidden = "cannot be read" if has_text else said.replace("item", "character")
            yield name, f"is wrong: it {hidden}"
        else:
            yield name, f"is {_shown(text)}, but {said}"


def _shown(text: str) -> str:
    """Return a value for a message, unless it is long, or may have a password."""
    is_short = len(text) <= _LONGEST_SHOWN and "@" not in text
    return repr(text) if is_short else "wrong"
