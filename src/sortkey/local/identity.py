"""Who issues the tokens of the APIs: the issuers of the settings, or one on this machine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.services import HttpApi, Setting
from sortkey.local.errors import CannotRun


@dataclass(frozen=True, slots=True)
class Identity:
    """The issuer and the audience of an API; the issuer is None if it is the local one."""

    api: HttpApi
    issuer: str | None
    audience: str


def identities_of(
    design: Design, apis: Iterable[HttpApi], values: Mapping[str, str]
) -> dict[HttpApi, Identity]:
    """Return the identity of each API that has an issuer."""
    found: dict[HttpApi, Identity] = {}
    for api in apis:
        if api.issuer is None or api.audience is None:
            continue
        issuer = _value(api.issuer, values)
        audience = _value(api.audience, values)
        if audience is None:
            if issuer is not None:
                continue  # the audience is a setting that is missing, and reported as such
            audience = f"{design.name}-{api.name}"
        found[api] = Identity(api, issuer, audience)
    return found


def provided(identities: Iterable[Identity], url: str) -> dict[str, str]:
    """Return the values of the settings of APIs whose issuer is the local one."""
    found: dict[str, str] = {}
    for one in identities:
        if one.issuer is None:
            if isinstance(one.api.issuer, Setting):
                found[one.api.issuer.variable] = url
            if isinstance(one.api.audience, Setting):
                found[one.api.audience.variable] = one.audience
    return found


def algorithm_of(identities: Iterable[Identity]) -> str:
    """Return the algorithm that all APIs of the local issuer accept, preferably RS256."""
    accepted = [one.api.algorithms for one in identities if one.issuer is None]
    for algorithm in ("RS256", "ES256"):
        if all(algorithm in algorithms for algorithms in accepted):
            return algorithm
    return accepted[0][0]


def refuse_missing_extra() -> None:
    """Raise an error if tokens can neither be signed nor verified.

    Raises:
        CannotRun: pyjwt or cryptography is not installed.
    """
    if find_spec("jwt") is None or find_spec("cryptography") is None:
        raise CannotRun(
            "an API of this design has an issuer of tokens, which needs more packages: "
            "pip install 'sortkey[run]'"
        )


def _value(declared: Setting | str, values: Mapping[str, str]) -> str | None:
    return values.get(declared.variable) if isinstance(declared, Setting) else declared
