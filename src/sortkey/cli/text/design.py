"""A design at a glance: its tables, entities, patterns and roles."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sortkey.cli.text.layout import clauses, columns, wrapped
from sortkey.cli.text.plan import expectations, glance, signature
from sortkey.design.plans.plan import PatternPlan
from sortkey.document.phrases import billing_words, expected_words
from sortkey.wording.prose import counted, first_paragraph, sentence

Value = Mapping[str, Any]
T = TypeVar("T")

_MARKS = {
    "version": "version",
    "expires": "TTL",
    "created": "time of creation",
    "updated": "time of the last write",
    "unique": "unique",
    "immutable": "immutable",
    "secret": "secret",
}


def design_text(value: Value, plans: Sequence[PatternPlan]) -> str:
    """Return the whole design, section by section."""
    return "\n".join([*_about(value), *_sections(value, plans)])


def _about(value: Value) -> Iterator[str]:
    about = value["about"]
    yield value["design"]
    yield from wrapped(
        clauses(
            [
                f"tenant {about['tenant']}" if "tenant" in about else None,
                f"environments {', '.join(about['environments'])}",
                f"standard {about['standard']}" if "standard" in about else None,
            ]
        ),
        4,
    )


def _sections(value: Value, plans: Sequence[PatternPlan]) -> Iterator[str]:
    yield from _section("TABLES", value["tables"], _table)
    for table in value["tables"]:
        mine = [entity for entity in value["entities"] if entity["table"] == table["name"]]
        yield from _section(f"ENTITIES OF {table['name']}", mine, _entity)
    yield from _section("COLLECTIONS", value["collections"], _collection)
    yield from _section("PATTERNS", plans, _pattern)
    yield from _section("INVARIANTS", value["invariants"], _invariant)
    yield from _section("ROLES", value["roles"], _role)
    yield from _section("FINDINGS", value["findings"], _finding)


def _section(title: str, values: Iterable[T], lines: Callable[[T], Iterator[str]]) -> Iterator[str]:
    for number, value in enumerate(values):
        if number == 0:
            yield from ("", title)
        else:
            yield ""
        yield from lines(value)


def _table(table: Value) -> Iterator[str]:
    names = list(dict.fromkeys(table["named"].values()))
    shown = "" if names == [table["name"]] else f" ({', '.join(names)})"
    yield from wrapped(f"{table['name']}{shown}", 2)
    yield from _doc(table)
    yield from columns(
        [
            ("key", _attributes(table)),
            *((index["name"], _index(index)) for index in table["indexes"]),
        ],
        4,
    )
    yield from wrapped(clauses(_settings(table)), 4)


def _attributes(index: Value) -> str:
    parts = [
        ", ".join(f"{attribute['name']} ({attribute['type']})" for attribute in index[part])
        for part in ("partition", "sort")
    ]
    return " / ".join(part for part in parts if part)


def _index(index: Value) -> str:
    projection = index["projection"]
    known = {"ALL": "all attributes", "KEYS_ONLY": "keys only"}.get(str(projection))
    return clauses(
        [
            _attributes(index),
            "local" if index["kind"] == "local" else None,
            known or f"keys and {', '.join(projection)}",
        ]
    )


def _settings(table: Value) -> Iterator[str]:
    if table.get("raw"):
        yield "raw"
    yield billing_words(table["billing"])
    if "ttl" in table:
        yield f"TTL {table['ttl']}"
    if "stream" in table:
        yield f"stream {table['stream']}"
    days = table.get("recovery_days")
    yield f"recovery {days} days" if days else "no recovery"
    if table["encryption"] != "service":
        yield f"encrypted with {table['encryption']}"


def _entity(entity: Value) -> Iterator[str]:
    fields = entity["fields"]
    yield from wrapped(
        clauses(
            [
                f"{entity['name']}, {counted(len(fields), 'field')}",
                "immutable" if entity.get("immutable") else None,
                "its key is invalid" if entity.get("unbuilt") else None,
            ]
        ),
        2,
    )
    yield from _doc(entity)
    if entity["keys"]:
        yield from columns(_keys(entity["keys"]), 4)
    marks = [
        f"{field['name']}: {', '.join(_MARKS.get(str(mark), str(mark)) for mark in field['marks'])}"
        for field in fields
        if "marks" in field
    ]
    yield from wrapped(clauses(marks), 4)
    for relation in entity.get("relations", ()):
        yield from wrapped(_relation(relation), 4)
    yield from wrapped(_expected(entity.get("expected", {})), 4)


def _keys(keys: Sequence[Value]) -> list[tuple[str, ...]]:
    """Return a row for each key, with its index if any key has one."""
    in_index = any("index" in key for key in keys)
    return [(key["name"], *([key.get("index", "")] if in_index else []), _key(key)) for key in keys]


def _key(key: Value) -> str:
    templates = " / ".join(", ".join(key[part]) for part in ("partition", "sort") if key[part])
    return clauses(
        [
            templates or "its own fields",
            "sparse" if key.get("sparse") else None,
            _shards(key),
            f"before {key['earlier']}" if "earlier" in key else None,
            _expected(key.get("expected", {})) or None,
        ]
    )


def _shards(key: Value) -> str | None:
    if "shards" not in key:
        return None
    return f"{key['shards']} shards" + (f", before {key['was']}" if "was" in key else "")


def _relation(relation: Value) -> str:
    copies = relation.get("copies")
    refreshed = relation.get("refreshed_by")
    return clauses(
        [
            f"{relation['field']} refers to {relation['to']}",
            f"copies {', '.join(copies)}" if copies else None,
            f"refreshed by {refreshed}" if refreshed else None,
        ]
    )


def _expected(expected: Value) -> str:
    known = expected_words(expected)
    return f"expected: {known}" if known else ""


def _collection(collection: Value) -> Iterator[str]:
    index, table = collection.get("index"), collection.get("table", "?")
    where = f"{table}.{index}" if index else table
    yield from wrapped(
        f"{collection['name']}: one Query of {where}, {', '.join(collection['partition'])}", 2
    )
    yield from _doc(collection)
    rows = [
        (m["name"], f"list[{m['entity']}]" if m["many"] else f"{m['entity']} | None")
        for m in collection["members"]
    ]
    yield from columns(rows, 4) if rows else ()


def _pattern(plan: PatternPlan) -> Iterator[str]:
    yield from wrapped(signature(plan), 2, 4)
    yield from wrapped(clauses([plan.pattern.title, expectations(plan.pattern)]), 4)
    yield from glance(plan, 4)


def _invariant(invariant: Value) -> Iterator[str]:
    yield from wrapped(f"{invariant['name']}: {', '.join(invariant['entities'])}", 2)
    yield from wrapped(sentence(invariant["title"]), 4, 0)


def _role(role: Value) -> Iterator[str]:
    acts = f", for one {role['acts_for']} at a time" if "acts_for" in role else ""
    yield from wrapped(f"{role['name']}{acts}", 2)
    yield from wrapped(", ".join(role["patterns"]) or "no patterns", 4, 0)


def _finding(finding: Value) -> Iterator[str]:
    yield from wrapped(f"{finding['code']} {finding['name']} at {finding['where']}", 2)
    yield from wrapped(sentence(finding["message"]), 4, 0)
    yield from wrapped(sentence(finding["fix"]), 4, 0)


def _doc(value: Value) -> Iterator[str]:
    yield from wrapped(first_paragraph(value.get("doc", "")), 4, 0)
