"""What a function uses beside tables: its queues, buckets, APIs, services and settings."""

from collections.abc import Iterator
from typing import TypeAlias

from sortkey.design.declaring.functions import Function
from sortkey.design.declaring.services import Bucket, ExternalService, HttpApi, Queue, Setting

Service: TypeAlias = Queue | Bucket | HttpApi | ExternalService | Setting


def used_by(function: Function) -> Iterator[Service]:
    """Yield everything that a function uses, as often as it is declared."""
    yield from function.queues
    yield from function.buckets
    yield from function.apis
    yield from function.calls
    yield from function.settings
    for api in function.apis:
        yield from (one for one in (api.issuer, api.audience) if isinstance(one, Setting))
