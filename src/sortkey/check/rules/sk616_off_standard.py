"""SK616 off-standard: a table does not keep the house standard that it adopts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.design.settings import OnDemand, Point, Standard
from sortkey.design.table import Index, Table
from sortkey.wire.limits import GLOBAL_INDEXES


@rule("SK616", "off-standard", WARNING)
def off_standard(model: Model) -> Iterator[Fault]:
    """A table does not keep the house standard that it adopts.

    What runs, reads or restores tables relies on the standard, and passes over one that differs.
    Where it is right to differ, an `Exemption` in the table's settings says why; one that is not
    needed any longer is found too.

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
        settings = table.definition.settings
        standard = settings.standard or model.design.about.standard
        if standard is None:
            continue
        judged = list(_judged(model, table, standard))
        for one in judged:
            if one.differs and settings.exemption(one.point, one.index) is None:
                yield Fault(
                    table,
                    f'the standard "{standard.name}" is not kept: {one.differs}',
                    f'Keep it, or say why not with Exemption("{one.point}", ...)',
                )
        differing = {(one.point, one.index) for one in judged if one.differs}
        known = {(one.point, one.index) for one in judged} - differing
        for exemption in settings.exemptions:
            if (exemption.point, exemption.index) in known:
                yield Fault(
                    table,
                    f'it is exempt from "{exemption.point}" of the standard "{standard.name}", and '
                    "keeps it",
                    "Remove the exemption",
                )


@dataclass(frozen=True, slots=True)
class _Judged:
    """One point of a standard held against a table or an index of it; empty where it is kept."""

    point: Point
    differs: str
    index: str | None = None


def _judged(model: Model, table: type[Table], standard: Standard) -> Iterator[_Judged]:
    yield from _names(model, table, standard)
    yield from _settings(model, table, standard)
    for index in table.definition.indexes.values():
        yield from _index(index, standard)
    yield from _partitions(model, table, standard)


def _names(model: Model, table: type[Table], standard: Standard) -> Iterator[_Judged]:
    environments = model.design.about.environments
    if standard.table_name is not None:
        wrong = [e for e in environments if not _is_named(table, standard, e)]
        shown = ", ".join(table.definition.name_in(environment) for environment in wrong)
        yield _Judged("table_name", f"its name is {shown}" if wrong else "")
    if standard.key_names is not None:
        kept = table.definition.key_names == standard.key_names
        wanted = " and ".join(standard.key_names)
        yield _Judged("key_names", "" if kept else f"its key is not {wanted}")


def _is_named(table: type[Table], standard: Standard, environment: str) -> bool:
    # A name that no table has stands for any.
    template = standard.table_name_in(environment, "\0")
    pattern = re.escape(template).replace(re.escape("\0"), "[A-Za-z0-9_.-]+")
    return re.fullmatch(pattern, table.definition.name_in(environment)) is not None


def _settings(model: Model, table: type[Table], standard: Standard) -> Iterator[_Judged]:
    settings = table.definition.settings
    if standard.billing is not None:
        on_demand = isinstance(settings.billing, OnDemand)
        kept = on_demand == (standard.billing == "on-demand")
        yield _Judged("billing", "" if kept else f"it is not billed {standard.billing}")
    if standard.encryption is not None:
        kept = settings.encryption == standard.encryption
        yield _Judged("encryption", "" if kept else f"it is encrypted by {settings.encryption}")
    if standard.ttl is not None and settings.ttl is not None:
        kept = settings.ttl == standard.ttl
        yield _Judged("ttl", "" if kept else f"it expires by {settings.ttl}, not {standard.ttl}")
    if standard.exported_as is not None:
        kept = settings.exported is not None
        yield _Judged("exported_as", "" if kept else "its name is not exported")
    if standard.grants_by_role:
        yield _Judged("grants_by_role", "" if model.design.roles else "the design has no roles")
    if settings.ephemeral:
        return  # it is neither restored nor kept
    if standard.recovery:
        kept = settings.recovery_days is not None
        yield _Judged("recovery", "" if kept else "it has no point-in-time recovery")
    if standard.retained_in is not None:
        environments = model.design.about.environments
        wrong = [e for e in environments if settings.removal_in(e) != standard.removal_in(e)]
        differs = f"its removal is another in {', '.join(wrong)}" if wrong else ""
        yield _Judged("removal", differs)


def _index(index: Index, standard: Standard) -> Iterator[_Judged]:
    if standard.index_name is not None:
        kept = index.name.endswith(standard.index_name)
        differs = "" if kept else f"{index.name} does not end in {standard.index_name}"
        yield _Judged("index_name", differs, index.name)
    if standard.index_key_names is not None and index.kind == "global":
        numbered = [
            tuple(template.format(n=n) for template in standard.index_key_names)
            for n in range(1, GLOBAL_INDEXES + 1)
        ]
        kept = tuple(attribute.name for attribute in index.attributes) in numbered
        wanted = " and ".join(standard.index_key_names)
        differs = "" if kept else f"the key of {index.name} is not {wanted}"
        yield _Judged("index_key_names", differs, index.name)
    if standard.projection is not None:
        kept = standard.projection == "ALL" or index.projection == "KEYS_ONLY"
        differs = "" if kept else f"{index.name} holds more than its keys"
        yield _Judged("projection", differs, index.name)


def _partitions(model: Model, table: type[Table], standard: Standard) -> Iterator[_Judged]:
    """The beginnings of partitions, for the table and for each index."""
    if not standard.prefixes and not standard.constants:
        return
    other: dict[str | None, list[str]] = {}
    for kind in model.kinds_of(table.definition):
        for key in kind.keys.values():
            text = key.partition[0].template.text
            begins = any(text.startswith(prefix) for prefix in standard.prefixes)
            found = other.setdefault(key.index, [])
            if not begins and text not in standard.constants and key.definition.kind != "local":
                found.append(f'"{text}" of {kind.name}')
    for index, found in other.items():
        differs = f"{', '.join(found)} begins with no prefix of it" if found else ""
        yield _Judged("prefixes", differs, index)
