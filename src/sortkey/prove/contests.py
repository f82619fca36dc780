"""The calls that are raced: a pattern against itself, and writes that test an entity's promises."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

from sortkey.access.db import DB
from sortkey.design.declaring.claim import Claim
from sortkey.design.declaring.entity import Entity
from sortkey.design.records.kind import EntityKind
from sortkey.explore.outcome import Outcome as Ending
from sortkey.operations.put import Put
from sortkey.prove.example import Example
from sortkey.prove.ground import Call, Contest, call_of
from sortkey.prove.promises import Promise, is_claim, promises_of
from sortkey.prove.values import values_of
from sortkey.prove.variation import another_value, like, numbered

# By how much a number is raised, as far as its field allows it.
_MORE = (10, 1)

# The calls that a pattern is raced against.


def rival_calls(example: Example) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the calls to race an example against: itself, and with each argument changed."""
    yield "the same call twice", example.arguments
    types = {parameter.name: parameter.type for parameter in example.pattern.parameters}
    for name, value in example.arguments.items():
        for how, instead in _otherwise(types[name], value):
            yield f"with another {name}{how}", {**example.arguments, name: instead}


def with_larger_numbers(example: Example) -> Iterator[tuple[str, Example]]:
    """Yield the example with a larger number in each field that a condition compares.

    With one unit left, a condition refuses the second call; with more, both succeed.
    """
    for place, record in enumerate(example.records):
        kind = record.__kind__
        kept = {*kind.key_fields, *kind.kept_fields, kind.expires_field}
        for name in example.compared_fields.get(kind.name, ()):
            value = getattr(record, name)
            if name in kept or type(value) not in {int, Decimal}:
                continue
            made = next(filter(None, (like(record, {name: value + more}) for more in _MORE)), None)
            if made is not None:
                others = example.records[:place], example.records[place + 1 :]
                yield (
                    f", with {kind.name}.{name} = {getattr(made, name)}",
                    replace(example, records=(*others[0], made, *others[1])),
                )


def _otherwise(annotation: Any, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Entity):
        for changed in _same_key(value):
            yield " that has the same key", changed
        for changed in _same_values(value):
            yield " that has the same values", changed
        return
    family = numbered(annotation, value)
    made = [family(1)] if family is not None else another_value(annotation, value)
    yield from (("", instead) for instead in made)


def _same_key(record: Entity) -> Iterator[Entity]:
    """Yield the record with another value in one field that may change, if there is one."""
    kind = record.__kind__
    kept = {kind.version_field, kind.updated_field, kind.created_field, kind.expires_field}
    for name in kind.model.model_fields:
        if name in {*kind.key_fields, *kind.frozen_fields, *kept}:
            continue
        made = _with_another(record, name)
        if made is not None:
            yield _at_version(made, record)
            return


def _same_values(record: Entity, kept: Sequence[str] = ()) -> Iterator[Entity]:
    """Yield the record under another key, if there is one that leaves the ``kept`` fields alone."""
    kind = record.__kind__
    for name in reversed([name for name in kind.primary.all_fields if name not in kept]):
        info = kind.model.model_fields[name]
        family = numbered(info.rebuild_annotation(), getattr(record, name))
        made = None if family is None else like(record, {name: family(1)})
        if made is not None:
            yield _at_version(made, record)
            return


def _at_version(record: Entity, loaded: Entity) -> Entity:
    """Return the record with the version of the loaded one."""
    name = record.__kind__.version_field
    return record if name is None else record.model_copy(update={name: getattr(loaded, name)})


def recomputed(example: Example) -> str:
    """Return the field that an unconditional put computes from a loaded record, or ""."""
    operation = example.operation()
    if not isinstance(operation, Put) or operation._mode != "put" or operation._conditions:
        return ""
    written = cast("Entity", operation.record)
    kind = written.__kind__
    names = [n for n in kind.model.model_fields if n not in {*kind.key_fields, *kind.kept_fields}]
    for argument, loaded in example.arguments.items():
        if kind.version is not None or type(loaded) is not type(written):
            continue
        for name in (n for n in names if getattr(loaded, n) != getattr(written, n)):
            instead = {**example.arguments, argument: _with_another(loaded, name)}
            if instead[argument] is None or _key(loaded) != _key(written):
                continue
            try:
                put = cast("Put[Any]", example.pattern(**instead))
            except Exception:  # noqa: BLE001, S112 - a pattern may refuse its arguments in any way
                continue
            if getattr(put.record, name) != getattr(written, name):
                return name
    return ""


def loaded_in(example: Example, arguments: Mapping[str, Any]) -> EntityKind[Any] | None:
    """Return the versioned entity of which both calls get the same loaded record, or None."""
    for name, value in example.arguments.items():
        instead = arguments[name]
        if not isinstance(value, Entity) or not isinstance(instead, Entity):
            continue
        kind = value.__kind__
        version = kind.version_field
        if version is not None and getattr(value, version) and _key(value) == _key(instead):
            return kind
    return None


def _key(record: Entity) -> str:
    return repr(record.__kind__.key_of(record))


# Promises of an entity, raced with sortkey's own writes.


def contests(kind: EntityKind[Any], record: Entity) -> Iterator[tuple[str, Contest]]:
    """Yield each promise of an entity with the calls that could break it."""
    if is_claim(kind):
        yield "a claim is done once", _claimed(cast("Claim[Any]", record))
        return
    for rival in list(_same_key(record)) or [record]:
        yield (
            "create never overwrites",
            Contest(
                (),
                [call_of(record.create()), call_of(rival.create())],
                only_one="two records were created with the same key, so one of them is lost",
            ),
        )
    for promise in promises_of(kind):
        contest = _contest(promise, record)
        if contest is not None:
            yield str(promise), contest


def _contest(promise: Promise, record: Entity) -> Contest | None:
    match promise.name:
        case "is unique":
            held = _with_value(record, promise.field)
            [unique] = [one for one in promise.kind.uniques if one.field == promise.field]
            rivals = [] if held is None else list(_same_values(held, unique.within))
            if held is None or not rivals:
                return None
            return Contest((), [call_of(held.create()), call_of(rivals[0].create())])
        case "has a version":
            changed = list(_same_key(record))
            calls = [_saving(record), _saving(changed[0])] if changed else []
            return Contest([record], calls) if calls else None
        case "is immutable" if promise.field:
            changed = _with_another(record, promise.field)
            return None if changed is None else Contest([record], [_saving(changed)] * 2)
        case "is immutable" | "keeps its identity":
            return None  # a second create() is raced above, and other writes are refused


def _with_value(record: Entity, name: str) -> Entity | None:
    """Return the record with a value in an optional field, or None if there is none."""
    if getattr(record, name) is not None:
        return record
    info = type(record).model_fields[name]
    made = [value for value in values_of(info.rebuild_annotation()) if value is not None]
    return like(record, {name: made[0]}) if made else None


def _with_another(record: Entity, name: str) -> Entity | None:
    """Return the record with another value in a field, or None if there is none."""
    info = type(record).model_fields[name]
    made = [
        like(record, {name: v})
        for v in another_value(info.rebuild_annotation(), getattr(record, name))
    ]
    return next(filter(None, made), None)


def _saving(record: Entity) -> Call:
    """Return a call that loads the record and then saves this one over it."""
    kind = record.__kind__
    key = {name: getattr(record, name) for name in kind.key_fields}

    def save(db: DB) -> Any:
        loaded = db(kind.model.get(**key).consistently().required())
        return db(_at_version(record, loaded).put())

    return save


def _claimed(claim: Claim[Any]) -> Contest:
    results = _results(type(claim))

    def work(result: Any) -> Call:
        def run(db: DB) -> Any:
            taken = db(claim.take())
            if taken.is_finished:
                return taken.result
            return db(taken.finish(result))

        return run

    return Contest((), [work(results[0]), work(results[-1])], judged=_done_twice)


def _done_twice(outcomes: Sequence[Ending]) -> str:
    results = [outcome.result for outcome in outcomes if outcome.succeeded]
    if all(result == results[0] for result in results):
        return ""
    return "the work of one claim was done twice"


def _results(claim: type[Claim[Any]]) -> Sequence[Any]:
    annotation = claim.model_fields["stored_result"].rebuild_annotation()
    return [value for value in values_of(annotation) if value is not None] or [None]
