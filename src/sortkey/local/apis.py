"""The HTTP APIs of a run with their routes, and who verifies their tokens."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sortkey.clock import Clock
from sortkey.design.declaring.functions import Route
from sortkey.design.declaring.services import HttpApi
from sortkey.local.crew import Crew
from sortkey.local.http.gateway import Gateway, Routed
from sortkey.local.http.server import LoopbackServers
from sortkey.local.http.verifier import Verifier
from sortkey.local.identity import Identity, algorithm_of
from sortkey.local.ports import Listeners
from sortkey.local.started import ServedRoute
from sortkey.local.state import RunState
from sortkey.local.surroundings import Surroundings

if TYPE_CHECKING:  # it needs the extra "run"
    from sortkey.local.http.issuer import LocalIssuer

ISSUER = "the issuer"


def local_issuer(
    identities: Mapping[HttpApi, Identity], url: str, state: RunState, clock: Clock
) -> "LocalIssuer":
    """Return the issuer of the tokens of all APIs that have no other one."""
    from sortkey.local.http.issuer import LocalIssuer  # noqa: PLC0415 - the extra "run"

    local = [one for one in identities.values() if one.issuer is None]
    audiences = list(dict.fromkeys(one.audience for one in local))
    keys = state.private("keys")
    return LocalIssuer(keys, url, lambda: audiences, clock, algorithm_of(local))


def serve_apis(
    identities: Mapping[HttpApi, Identity],
    apis: tuple[HttpApi, ...],
    crew: Crew,
    *,
    servers: LoopbackServers,
    listeners: Listeners,
    around: Surroundings,
) -> list[ServedRoute]:
    """Serve every API, and return the routes."""
    served: list[ServedRoute] = []
    for api in apis:
        routes = [
            Routed(trigger, function)
            for function, trigger in crew.triggers(Route)
            if trigger.api == api
        ]
        gateway = Gateway(
            api,
            around.names.api(api.name),
            routes,
            clock=around.clock,
            meters=around.meters,
            authorizer=_authorizer(identities.get(api), listeners, around.clock),
            refused=around.say(api.name),
        )
        servers.serve(listeners.sockets[str(api)], gateway.answer)
        served += [ServedRoute(api.name, one.route, one.function.name) for one in routes]
    return served


def _authorizer(identity: Identity | None, listeners: Listeners, clock: Clock) -> Verifier | None:
    """Return who verifies the tokens of an API before its functions do."""
    if identity is None or not identity.api.is_verified_by_gateway:
        return None
    from sortkey.local.http.authorizer import IssuerKeys, TokenAuthorizer  # noqa: PLC0415 - the extra

    issuer = listeners.url(ISSUER) if identity.issuer is None else identity.issuer
    return TokenAuthorizer(IssuerKeys(issuer, clock), identity.audience)
