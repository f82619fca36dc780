"""SK616 off-standard: a table does not follow the standard that it adopts."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.tables.settings import OnDemand, Point, Standard
from sortkey.design.tables.table import Index, Table
from sortkey.wire.limits import GLOBAL_INDEXES
from sortkey.wording.prose import listed


@rule("SK616", "off-standard", WARNING)
def off_standard(model: Model) -> Iterator[Finding]:
    """A table does not follow the standard that it adopts.

    Tools that run, read or restore tables rely on the standard and may ignore a table that differs.
    If the difference is right, the table or the index acknowledges it by the name of the point,
    with a reason: `ignore={"key_names": "older than the standard"}`.

    Flagged:
        house = Standard("house", key_names=("PK", "SK"))

        class Users(Table, partition="userId", settings=Settings(standard=house)):
            pass

    Instead:
        house = Standard("house", key_names=("PK", "SK"))

        class Users(Table, settings=Settings(standard=house)):
            pass
    """
    for table in model.design.tables:
        standard = table.definition.settings.standard or model.design.about.standard
        if standard is None:
            continue
        for one in _differing(model, table, standard):
            yield Finding(
                one.index or table,
                f'it does not follow the standard "{standard.name}": {one.differs}',
                f'Follow it, or give the reason in ignore={{"{one.point}": "..."}}',
                point=one.point,
            )


@dataclass(frozen=True, slots=True)
class _Difference:
    """A point of a standard that a table or one of its indexes does not follow."""

    point: Point
    differs: str
    index: Index | None = None


def _differing(model: Model, table: type[Table], standard: Standard) -> Iterator[_Difference]:
    yield from _names(model, table, standard)
    yield from _settings(model, table, standard)
    for index in table.definition.indexes.values():
        yield from _index(index, standard)
    yield from _partitions(model, table, standard)


def _names(model: Model, table: type[Table], standard: Standard) -> Iterator[_Difference]:
    if standard.table_name is not None:
        environments = model.design.about.environments
        wrong = [e for e in environments if not _is_named(table, standard, e)]
        shown = ", ".join(table.definition.name_in(environment) for environment in wrong)
        if wrong:
            yield _Difference("table_name", f"its name is {shown}")
    wanted = standard.key_names
    if wanted is not None and table.definition.key_names != wanted:
        yield _Difference("key_names", f"its key is not {listed(wanted)}")


def _is_named(table: type[Table], standard: Standard, environment: str) -> bool:
    # A name that no table can have is the placeholder for any name.
    template = standard.table_name_in(environment, "\0")
    pattern = re.escape(template).replace(re.escape("\0"), "[A-Za-z0-9_.-]+")
    return re.fullmatch(pattern, table.definition.name_in(environment)) is not None


def _settings(model: Model, table: type[Table], standard: Standard) -> Iterator[_Difference]:
    settings, environments = table.definition.settings, model.design.about.environments
    billing = "on-demand" if isinstance(settings.billing, OnDemand) else "provisioned"
    if standard.billing not in {None, billing}:
        yield _Difference("billing", f"it is not billed {standard.billing}")
    if standard.encryption not in {None, settings.encryption}:
        yield _Difference("encryption", f"it is encrypted by {settings.encryption}")
    if settings.ttl is not None and standard.ttl not in {None, settings.ttl}:
        yield _Difference("ttl", f"it expires by {settings.ttl}, not {standard.ttl}")
    if standard.exported_as is not None and settings.exported is None:
        yield _Difference("exported_as", "its name is not exported")
    if standard.grants_by_role and not model.design.roles:
        yield _Difference("grants_by_role", "the design has no roles")
    if settings.ephemeral:
        return  # it is neither restored nor kept
    if standard.recovery and settings.recovery_days is None:
        yield _Difference("recovery", "it has no point-in-time recovery")
    if standard.retained_in is not None:
        wrong = [e for e in environments if settings.removal_in(e) != standard.removal_in(e)]
        if wrong:
            yield _Difference("removal", f"its removal policy differs in {', '.join(wrong)}")


def _index(index: Index, standard: Standard) -> Iterator[_Difference]:
    if standard.index_name is not None and not index.name.endswith(standard.index_name):
        differs = f"{index.name} does not end in {standard.index_name}"
        yield _Difference("index_name", differs, index)
    if standard.index_key_names is not None and index.kind == "global":
        numbered = [
            tuple(template.format(n=n) for template in standard.index_key_names)
            for n in range(1, GLOBAL_INDEXES + 1)
        ]
        if tuple(attribute.name for attribute in index.attributes) not in numbered:
            wanted = listed(standard.index_key_names)
            yield _Difference("index_key_names", f"the key of {index.name} is not {wanted}", index)
    if standard.projection == "KEYS_ONLY" and index.projection != "KEYS_ONLY":
        yield _Difference("projection", f"{index.name} projects more than its keys", index)


def _partitions(model: Model, table: type[Table], standard: Standard) -> Iterator[_Difference]:
    """Yield the table or the indexes whose partition keys have another prefix."""
    if not standard.prefixes and not standard.constants:
        return
    other: dict[Index, list[str]] = defaultdict(list)
    for kind in model.kinds_of(table.definition):
        for key in kind.keys.values():
            text = key.partition[0].template.text
            begins = any(text.startswith(prefix) for prefix in standard.prefixes)
            if not begins and text not in standard.constants and key.definition.kind != "local":
                other[key.definition].append(f'"{text}" of {kind.name}')
    for index, found in other.items():
        where = None if index.kind == "primary" else index
        differs = f"{', '.join(found)} does not begin with one of its prefixes"
        yield _Difference("prefixes", differs, where)
