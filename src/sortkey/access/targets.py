"""Targets: where the data is stored, and what the target supports."""

import os
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Any

from sortkey.access.credentials import (
    Credentials,
    CredentialSource,
    StaticCredentials,
    aws_credentials,
    credentials_for,
)
from sortkey.access.endpoint import Endpoint, SettingsError
from sortkey.access.transports.transport import AsyncTransport, Timeouts, Transport
from sortkey.errors import Refused, Unsupported
from sortkey.wire.messages import Request

VARIABLE = "SORTKEY_TARGET"
_TRANSACTIONS = frozenset({"TransactWriteItems", "TransactGetItems"})


@dataclass(frozen=True, slots=True)
class Abilities:
    """The features of a target; requests that need others are refused before they are sent."""

    name: str
    transactions: bool = True
    multi_attribute_keys: bool = True
    creates_tables: bool = False

    def refuse(self, request: Request) -> None:
        """Refuse a request that the target does not support."""
        if not self.transactions and request.operation in _TRANSACTIONS:
            raise Unsupported(
                f"{self.name} has no transactions, which transact(), snapshot() and unique fields "
                "need"
            )
        if not self.multi_attribute_keys and request.operation == "CreateTable":
            for index in request.body.get("GlobalSecondaryIndexes", ()):
                kinds = [key["KeyType"] for key in index["KeySchema"]]
                if len(kinds) != len(set(kinds)):
                    raise Unsupported(
                        f"{self.name} has no multi-attribute keys, which the index "
                        f"{index['IndexName']} needs"
                    )


EMBEDDED = Abilities("the embedded engine", creates_tables=True)
AWS = Abilities("AWS DynamoDB")
LOCAL_ENDPOINT = Abilities("the endpoint", creates_tables=True)
ENDPOINT = Abilities("the endpoint")
ALTERNATOR = Abilities("ScyllaDB Alternator", transactions=False, multi_attribute_keys=False)


@dataclass(frozen=True, slots=True)
class Target:
    """A place to send requests to; each database opens its own transport."""

    shown: str
    abilities: Abilities
    open: Callable[[], Transport]
    open_async: Callable[[], AsyncTransport]

    @property
    def named(self) -> str:
        """The target as `named_target` and ``--target`` accept it."""
        if self.abilities is ALTERNATOR:
            return f"alternator+{self.shown}"
        return "aws" if self.abilities is AWS else self.shown

    def refuse_new_indexes(self, environment: str) -> None:
        """Refuse to add indexes to tables that sortkey does not create."""
        if not self.abilities.creates_tables:
            raise Refused(
                f"add_indexes is for databases on this machine, and this one is {self.shown}: "
                f"deploy the index (`sortkey synth DESIGN --to cloudformation --env "
                f"{environment}` writes the template), then run `sortkey backfill`"
            )


def memory_target(*, weather: str | None = None, **settings: Any) -> Target:
    """Return the target of a new database in memory, with this weather."""
    if weather is not None:
        from sortkey.engine.weather import scenario  # noqa: PLC0415 - only for the engine

        settings["weather"] = scenario(weather)
    return _embedded("memory", None, settings)


def file_target(path: str | os.PathLike[str], **settings: Any) -> Target:
    """Return the target of a database in a file, which is created if it does not exist."""
    return _embedded(os.fspath(path), os.fspath(path), settings)


def _embedded(shown: str, path: str | None, settings: dict[str, Any]) -> Target:
    # The engine is imported only when it is used: an application on AWS never needs it.
    def open_blocking() -> Any:
        from sortkey.access.transports.embedded import EmbeddedTransport  # noqa: PLC0415
        from sortkey.engine import Engine  # noqa: PLC0415

        def open_engine() -> Engine:
            return Engine.memory(**settings) if path is None else Engine.open(path, **settings)

        return EmbeddedTransport(open_engine, path=path)

    def open_async() -> AsyncTransport:
        from sortkey.access.transports.embedded import AsyncEmbeddedTransport  # noqa: PLC0415

        return AsyncEmbeddedTransport(open_blocking())

    return Target(shown, EMBEDDED, open_blocking, open_async)


def endpoint_target(
    url: str,
    *,
    region: str | None = None,
    credentials: Credentials | None = None,
    timeouts: Timeouts | None = None,
    tls: ssl.SSLContext | None = None,
    abilities: Abilities | None = None,
) -> Target:
    """Return the target at a URL: `sortkey serve`, DynamoDB Local, Alternator or AWS itself."""
    from sortkey.access.regions import region_for  # noqa: PLC0415 - only for endpoints

    endpoint = Endpoint.parse(url)
    source = credentials_for(endpoint) if credentials is None else StaticCredentials(credentials)
    can = abilities or (LOCAL_ENDPOINT if endpoint.is_loopback else ENDPOINT)
    return _http(
        endpoint,
        region_for(endpoint, region),
        source,
        timeouts=timeouts,
        tls=tls,
        abilities=can,
    )


def aws_target(
    *,
    region: str | None = None,
    profile: str | None = None,
    credentials: Credentials | None = None,
    timeouts: Timeouts | None = None,
    tls: ssl.SSLContext | None = None,
) -> Target:
    """Return the target of an AWS account; AWS's own chain finds credentials and a region."""
    from sortkey.access.regions import aws_endpoint, aws_region  # noqa: PLC0415 - only for AWS

    found = aws_region(region, profile=profile)
    source: CredentialSource = (
        aws_credentials(profile) if credentials is None else StaticCredentials(credentials)
    )
    endpoint = aws_endpoint(found, profile=profile)
    return _http(endpoint, found, source, timeouts=timeouts, tls=tls, abilities=AWS)


def _http(
    endpoint: Endpoint,
    region: str,
    source: CredentialSource,
    *,
    timeouts: Timeouts | None,
    tls: ssl.SSLContext | None,
    abilities: Abilities,
) -> Target:
    from sortkey.access.certificates import trusting_context  # noqa: PLC0415 - only over HTTP
    from sortkey.access.transports.proxies import proxy_for  # noqa: PLC0415
    from sortkey.access.transports.streams_route import (  # noqa: PLC0415
        AsyncRoutedTransport,
        RoutedTransport,
        streams_endpoint,
    )

    proxy = proxy_for(endpoint, os.environ)
    if tls is None and endpoint.is_encrypted:
        tls = trusting_context()

    streams = streams_endpoint(endpoint)

    def blocking_to(place: Endpoint) -> Transport:
        from sortkey.access.transports.sync_http import HttpTransport  # noqa: PLC0415

        return HttpTransport(
            place, region=region, credentials=source, timeouts=timeouts, tls=tls, proxy=proxy
        )

    def async_to(place: Endpoint) -> AsyncTransport:
        from sortkey.access.transports.async_http import AsyncHttpTransport  # noqa: PLC0415

        return AsyncHttpTransport(
            place, region=region, credentials=source, timeouts=timeouts, tls=tls, proxy=proxy
        )

    def open_blocking() -> Transport:
        tables = blocking_to(endpoint)
        if streams is None:
            return tables
        return RoutedTransport(tables, partial(blocking_to, streams))

    def open_async() -> AsyncTransport:
        tables = async_to(endpoint)
        return (
            tables if streams is None else AsyncRoutedTransport(tables, partial(async_to, streams))
        )

    return Target(str(endpoint), abilities, open_blocking, open_async)


def named_target(name: str | None = None) -> Target:
    """Return the target that ``name`` or the environment variable SORTKEY_TARGET names.

    A name is ``memory``, ``aws``, ``aws:eu-west-1``, a URL, ``alternator+`` and a URL, or the path
    of a file.
    """
    named = name if name is not None else os.environ.get(VARIABLE, "")
    if not named:
        raise SettingsError(
            f"no target is set: pass target= (or --target), or set {VARIABLE} to memory, a file, a "
            "URL such as "
            "http://127.0.0.1:8000, or aws"
        )
    kind, _, rest = named.partition(":")
    match kind:
        case "memory" if not rest:
            return memory_target()
        case "aws":
            return aws_target(region=rest or None)
        case "http" | "https":
            return endpoint_target(named)
        case "alternator+http" | "alternator+https":
            return endpoint_target(named.removeprefix("alternator+"), abilities=ALTERNATOR)
        case _:
            return file_target(_file_name(named))


def _file_name(named: str) -> str:
    """Return the name if it looks like a file: a misspelt target must not create one."""
    drive = len(named) > 1 and named[1] == ":"  # Windows has such paths
    has_folder = any(separator in named for separator in "/\\")
    if ":" in named[2 * drive :] or not (PurePath(named).suffix or has_folder):
        raise SettingsError(
            f"{named!r} is not a target: use memory, aws, aws:eu-west-1, a URL such as "
            "http://127.0.0.1:8000, or a file with an extension, such as app.db"
        )
    return named
