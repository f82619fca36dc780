"""SK407 reads-others: a query's range also contains the records of another entity."""

from collections.abc import Iterator

from sortkey.check.conditions import Known, can_hold
from sortkey.check.fields import looks_like_type, names_an_entity, possible_values, type_of
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.design.plans.key_forms import numbers_after, reached, templates
from sortkey.design.plans.sources import Constant, Source, Text
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.keys.unify import can_collide, can_start
from sortkey.design.tables.table import Index
from sortkey.wording.prose import listed


@rule("SK407", "reads-others", WARNING)
def reads_others(model: Model) -> Iterator[Finding]:
    """A query's range also contains the records of another entity.

    The other records are read, paid for and then dropped, and filling a page takes more reads. If
    the sort key begins with a word that no other entity uses, the records of an entity stay
    together; a collection reads both entities on purpose. A raw request also returns the other
    records, which is an error, unless it filters by the type attribute.

    Flagged:
        class Order(Entity, table=App):
            shop_id: str
            number: int
            primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")

        class Line(Entity, table=App):
            shop_id: str
            number: int
            line: int
            primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}#LINE#{line:03d}")

        @pattern("A shop's orders", rate="5/s", page=20)
        def orders(shop_id: str, after: str | None = None) -> Op[Page[Order]]:
            return Order.query(shop_id=shop_id).page(20, after)

    Instead:
        class Order(Entity, table=App):
            shop_id: str
            number: int
            primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")

        class Line(Entity, table=App):
            shop_id: str
            number: int
            line: int
            primary = App.primary.key("SHOP#{shop_id}", "LINE#{number:06d}#{line:03d}")

        @pattern("A shop's orders", rate="5/s", page=20)
        def orders(shop_id: str, after: str | None = None) -> Op[Page[Order]]:
            return Order.query(shop_id=shop_id).page(20, after)
    """
    for request in model.queries:
        if not request.is_raw:
            yield from _typed(model, request)
        elif request.step.entities and request.index is not None:
            yield from _raw(model, request, request.index)


def _typed(model: Model, request: PlannedRequest) -> Iterator[Finding]:
    own = _key_in(request, request.kinds[0]) if request.kinds else None
    others = {
        other.name: key
        for other in model.kinds_of(request.table)
        if other not in request.kinds
        and (key := _key_in(request, other)) is not None
        and own is not None
        and _meets(request, own, key)
    }
    if own is not None and others:
        sorts = listed(dict.fromkeys(map(_sort, others.values())))
        keys = "the sort key" if len(others) == 1 else "the sort keys"
        names = listed(f"`{name}`" for name in others)
        yield Finding(
            request.pattern,
            f"its range of {request.index} can also contain {listed(others)} records "
            f"({sorts} among {_sort(own)}), which are read, paid for and dropped",
            f"Begin {keys} of {names} with another word, or read "
            f"{'both' if len(others) == 1 else 'all'} as a Collection",
        )


def _raw(model: Model, request: PlannedRequest, index: Index) -> Iterator[Finding]:
    said = templates(request.pattern, request.step)
    others = [
        other.name
        for other in reached(index, model.kinds_of(request.table), said)
        if other not in request.kinds
        and can_hold(request.step.filter, _known(request, other))
        and not _has_own_type(request, other)
        and not _is_beyond(request, other)
    ]
    if others:
        yield Finding(
            request.pattern,
            f"its range of {index} can also contain {listed(others)} records, which it returns "
            f"as {request.step.entities[0]} records",
            "Compare a part of the key that distinguishes "
            f"`{request.step.entities[0]}`, or filter by the type attribute, which every put must "
            "write",
            at="key_condition",
            severity=ERROR,
        )


def _is_beyond(request: PlannedRequest, other: AnyKind) -> bool:
    """Whether a range of dates or numbers ends before the letter that a key continues with."""
    key = _key_in(request, other)
    return key is not None and any(
        part.template.text.startswith(before)
        and part.template.text[len(before) :][:1] > "9"
        and not part.template.text[len(before) :].startswith("{")
        for part in key.sort
        for before in numbers_after(request.pattern, request.step, part.attribute.name)
    )


def _has_own_type(request: PlannedRequest, other: AnyKind) -> bool:
    """Whether the key condition compares a type attribute that another entity has as text."""
    named = {
        name
        for name, compared in request.step.key.items()
        if compared.op == "=" and names_an_entity(name) and _begins_with_text(compared.source)
    }
    texts = {f.stored for f in other.codec.fields.values() if type_of(other, f.name) is str}
    return not named.isdisjoint(texts)


def _begins_with_text(source: Source) -> bool:
    match source:
        case Constant():
            return True
        case Text(template):
            return not template.startswith("{")
        case _:
            return False


def _known(request: PlannedRequest, other: AnyKind) -> Known:
    """Return the values that a filter can find in another entity's records, as far as known.

    An attribute that no entity of the request declares may have any value, unless its name is that
    of a type attribute.
    """
    declared = {name for kind in request.kinds for name in kind.stored_names.values()}
    declared |= {kind.type_attribute for kind in request.kinds if kind.type_attribute}
    return lambda name: (
        possible_values(other, name) if name in declared or looks_like_type(name) else None
    )


def _key_in(request: PlannedRequest, kind: AnyKind) -> EntityKey | None:
    found = (key for key in kind.keys.values() if key.definition is request.index)
    return next(found, None)


def _meets(request: PlannedRequest, own: EntityKey, other: EntityKey) -> bool:
    pairs = [*zip(own.partition, other.partition, strict=True)]
    if not all(a.attribute.type != "S" or can_collide(a.template, b.template) for a, b in pairs):
        return False
    for mine, theirs in zip(own.sort, other.sort, strict=True):
        said = request.step.key.get(mine.attribute.name)
        if mine.attribute.type == "S" and said is not None:
            bound = list(said.source.slots) if isinstance(said.source, Text) else []
            return can_start(mine.template, bound, theirs.template)
    return True


def _sort(key: EntityKey) -> str:
    return ", ".join(f'"{part.template}"' for part in key.sort) or "no sort key"
