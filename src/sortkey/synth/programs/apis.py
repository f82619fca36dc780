"""The HTTP APIs whose requests functions answer."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sortkey.design.declaring.functions import Function, Route
from sortkey.design.declaring.services import HttpApi, Setting
from sortkey.design.tables.settings import Removal
from sortkey.errors import Refused
from sortkey.synth.model import (
    Authorizer,
    FunctionResource,
    HttpApiResource,
    LogGroupResource,
    RouteResource,
    SettingResource,
)
from sortkey.synth.programs.names import ProgramNames, api_id, route_id
from sortkey.synth.programs.services import check_distinct

Answer: TypeAlias = tuple[Route, FunctionResource]

# Where callers put their tokens.
IDENTITY_SOURCE = "$request.header.Authorization"
# What pages of other origins may send, and for how long browsers remember it.
CORS_HEADERS = ("authorization", "content-type")
CORS_SECONDS = 3600
# One line of JSON for each request.
ACCESS_LOG = json.dumps(
    {
        name: f"$context.{variable}"
        for name, variable in {
            "time": "requestTime",
            "request": "requestId",
            "route": "routeKey",
            "status": "status",
            "milliseconds": "responseLatency",
            "address": "identity.sourceIp",
            "failure": "integrationErrorMessage",
        }.items()
    }
)
_SLOT = re.compile(r"\{[^}]+\}")


def apis_of(
    functions: Sequence[tuple[Function, FunctionResource]],
    settings: Mapping[Setting, SettingResource],
    names: ProgramNames,
    *,
    log_days: int,
    removal: Removal,
) -> tuple[HttpApiResource, ...]:
    """Return the APIs, each with all its routes."""
    answers: dict[HttpApi, list[Answer]] = {}
    seen: dict[str, HttpApi] = {}
    for declared, function in functions:
        for route in declared.triggers:
            if isinstance(route, Route):
                check_distinct("APIs", seen, route.api.name, route.api)
                seen[route.api.name] = route.api
                answers.setdefault(route.api, []).append((route, function))
    return tuple(
        _api(api, routes, settings, names, log_days=log_days, removal=removal)
        for api, routes in answers.items()
    )


def _api(
    api: HttpApi,
    answers: Sequence[Answer],
    settings: Mapping[Setting, SettingResource],
    names: ProgramNames,
    *,
    log_days: int,
    removal: Removal,
) -> HttpApiResource:
    own = api_id(api.name)
    authorizer = None
    has_closed = api.is_verified_by_gateway and any(not route.open for route, _ in answers)
    if has_closed and api.issuer is not None and api.audience is not None:
        authorizer = Authorizer(
            f"{own}Tokens",
            f"{names.api(api.name)}-tokens",
            _value(api.issuer, settings),
            _value(api.audience, settings),
        )
    logs = LogGroupResource(f"{own}Logs", names.api_logs(api.name), log_days, removal)
    return HttpApiResource(
        own,
        names.api(api.name),
        f"The address of the API {names.api(api.name)}",
        api.origins,
        authorizer,
        tuple(_routes(own, api, answers, has_authorizer=authorizer is not None)),
        logs,
        _note(api, answers),
    )


def _value(
    value: Setting | str, settings: Mapping[Setting, SettingResource]
) -> SettingResource | str:
    return settings[value] if isinstance(value, Setting) else value


def _routes(
    own: str, api: HttpApi, answers: Sequence[Answer], *, has_authorizer: bool
) -> list[RouteResource]:
    routes: dict[str, RouteResource] = {}
    for route, function in answers:
        # Paths are the same for API Gateway if they differ only in the names of their slots.
        made = RouteResource(
            route_id(own, route.method, route.path),
            route.method,
            route.path,
            function,
            has_authorizer and not route.open,
        )
        key = _SLOT.sub("{}", route.request)
        if key in routes:
            raise Refused(
                f"{function.name} answers {route.request} of {api}, but "
                f"{routes[key].function.name} answers {routes[key].key} already: remove one route"
            )
        routes[key] = made
    return list(routes.values())


def _note(api: HttpApi, answers: Sequence[Answer]) -> str:
    """Return who verifies tokens, if API Gateway does not."""
    closed = dict.fromkeys(function.name for route, function in answers if not route.open)
    if api.is_verified_by_gateway or not closed:
        return ""
    if api.issuer is None:
        why = "it has no issuer, so API Gateway lets every request pass"
    else:
        signed = " and ".join(api.algorithms)
        why = f"API Gateway verifies only tokens signed with RS256, and these have {signed}"
    return f"{api.name}: {why}: these functions must verify tokens ({', '.join(closed)})"
