"""Declarations that contradict each other are refused before anything is started."""

import re
from collections.abc import Iterable

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.functions import Function, OnChange, Route
from sortkey.design.declaring.services import Bucket, HttpApi, Queue
from sortkey.local.errors import CannotRun

_SLOT = re.compile(r"\{[^}]+\}")


def refuse_conflicts(design: Design) -> None:
    """Raise an error if functions cannot run beside each other.

    Raises:
        CannotRun: Two declarations have one name, two functions one route, or a stream is missing.
    """
    _refuse_shared_names("functions", design.functions)
    for kind, found in (("APIs", apis_of), ("queues", queues_of), ("buckets", buckets_of)):
        _refuse_shared_names(kind, found(design))
    _refuse_shared_routes(design)
    _refuse_tables_without_stream(design)


def apis_of(design: Design) -> tuple[HttpApi, ...]:
    """Return the APIs whose requests functions answer."""
    return tuple(dict.fromkeys(api for function in design.functions for api in function.apis))


def queues_of(design: Design) -> tuple[Queue, ...]:
    """Return the queues that functions use."""
    return tuple(dict.fromkeys(one for function in design.functions for one in function.queues))


def buckets_of(design: Design) -> tuple[Bucket, ...]:
    """Return the buckets that functions use."""
    return tuple(dict.fromkeys(one for function in design.functions for one in function.buckets))


def _refuse_shared_names(
    kind: str, declared: Iterable[Function | HttpApi | Queue | Bucket]
) -> None:
    seen: set[str] = set()
    for one in declared:
        if one.name in seen:
            raise CannotRun(f'two {kind} are named "{one.name}": rename one, or declare it once')
        seen.add(one.name)


def _refuse_shared_routes(design: Design) -> None:
    seen: dict[tuple[HttpApi, str], Function] = {}
    for function in design.functions:
        for route in function.triggers:
            if isinstance(route, Route):
                # Paths that differ only in the names of their slots are the same.
                key = route.api, _SLOT.sub("{}", route.request)
                other = seen.setdefault(key, function)
                if other is not function:
                    raise CannotRun(
                        f"{function.name} and {other.name} both answer {route.request} of "
                        f"{route.api}: remove one route"
                    )


def _refuse_tables_without_stream(design: Design) -> None:
    for function in design.functions:
        for trigger in function.triggers:
            if isinstance(trigger, OnChange):
                definition = trigger.table.definition
                if definition.settings.stream is None:
                    raise CannotRun(
                        f"{function} gets the changes of {definition}, which has no stream: give "
                        'the table one: settings=Settings(stream="NEW_AND_OLD_IMAGES")'
                    )
