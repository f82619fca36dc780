"""From a raw request to the step that a plan has for it, with everything DynamoDB would refuse."""

from collections.abc import Mapping
from typing import Any

from sortkey.design.raw.expressions import ExpressionTexts
from sortkey.design.raw.findings import RawFindings
from sortkey.design.raw.fitting import Fitting
from sortkey.design.raw.key_values import KeyValues
from sortkey.design.raw.request import (
    EXPRESSIONS,
    NEEDED,
    TAKEN,
    VERBS,
    WORDS,
    RawRequest,
    members_set,
)
from sortkey.design.tables.table import Index
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.key_condition import key_terms, read_key_condition
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition, Value
from sortkey.operations.plan import Step, Verb
from sortkey.wire.errors import ValidationException


def read_step(request: RawRequest, given: Mapping[str, Any], findings: RawFindings) -> Step | None:
    """The step, with these arguments; None where DynamoDB has no such operation."""
    verb = request.verb
    if verb is None:
        findings.add(
            "SK509",
            "operation",
            f'DynamoDB has no operation "{request.operation}" on a table\'s records',
            f"Write one of {', '.join(dict.fromkeys(VERBS.values()))}",
        )
        return None
    return _RequestReader(request, verb, given, findings).step()


class _RequestReader:
    """Reads one request, and holds it against the table's keys and indexes."""

    def __init__(
        self, request: RawRequest, verb: Verb, given: Mapping[str, Any], findings: RawFindings
    ) -> None:
        self._request = request
        self._verb: Verb = verb
        self._findings = findings
        self._table = request.table.definition
        self._keys = KeyValues(self._table, findings)
        self._fitting = Fitting(request.kinds, self._found_index)
        self._texts = ExpressionTexts(request, given, findings, self._fitting)

    def step(self) -> Step:
        request, texts = self._request, self._texts
        self._check_members()
        index = self._index()
        item = self._attributes("item", request.item)
        step = Step(
            self._verb,
            self._table,
            request.entity_names,
            index=request.index_name,
            key=self._key(),
            item=None if item is None else {name: value.value for name, value in item.items()},
            key_condition=texts.condition("key_condition"),
            filter=texts.condition("filter"),
            condition=texts.condition("condition"),
            update=texts.update(),
            projection=texts.projection(),
            consistent=request.consistent,
            forward=request.scan_forward,
            limit=request.limit,
            members=self._word_members(),
            origins={name: value.origin for name, value in (item or {}).items()},
        )
        texts.find_names()
        texts.find_unused()
        if index is not None and self._verb in {"Query", "Scan"}:
            self._check_read(step, index)
        if step.update is not None:
            self._keys.check_update(step.update)
        if step.projection is not None:
            self._keys.check_nested("projection", step.projection.nested_names)
        return step

    def _word_members(self) -> dict[str, str]:
        said = {"Select": self._request.select, "ReturnValues": self._request.return_values}
        return {member: word for member, word in said.items() if word is not None}

    def _check_members(self) -> None:
        present = members_set(self._request)
        for member in sorted(present - TAKEN[self._verb]):
            self._findings.add(
                "SK510",
                member,
                f"{self._verb} takes no {EXPRESSIONS.get(member, member)}",
                f"Remove it, or use one of {_takers(member)}",
            )
        for member in NEEDED[self._verb]:
            if member not in present:
                self._findings.add(
                    "SK510", member, f"{self._verb} needs a {member}, but has none", "Give it"
                )
        for member, words in WORDS.get(self._verb, {}).items():
            if member in present and getattr(self._request, member) not in words:
                self._findings.add(
                    "SK513",
                    member,
                    f"{self._verb} knows no {member} {getattr(self._request, member)}",
                    f"Write one of {', '.join(words)}",
                )
        limit: Any = self._request.limit
        if limit is not None and not (isinstance(limit, int) and limit >= 1):
            self._findings.add(
                "SK513", "limit", f"the limit is {limit!r}", "Pass a whole number of at least 1"
            )

    # The table and its indexes.

    @property
    def _found_index(self) -> Index | None:
        name = self._request.index_name
        return self._table.primary if name is None else self._table.indexes.get(name)

    def _index(self) -> Index | None:
        name, found = self._request.index_name, self._found_index
        if found is None:
            known = ", ".join(self._table.indexes) or "none"
            self._findings.add(
                "SK508",
                "index",
                f'{self._table} has no index "{name}"; its indexes are: {known}',
                "Declare the index, or correct its name",
            )
        return found

    def _check_read(self, step: Step, index: Index) -> None:
        if step.consistent and index.kind == "global":
            self._findings.add(
                "SK514",
                "consistent",
                f"{index} is a global index, which cannot be read consistently",
                "Read the table, or remove consistent=True",
            )
        if step.projection is not None:
            self._check_projection(step.projection, index)
        self._check_select(index)
        if self._verb == "Query":
            self._check_key_condition(step.key_condition, index)
            self._check_filter(step.filter, index)

    def _check_key_condition(self, condition: Condition | None, index: Index) -> None:
        if condition is None:
            return
        refused = _refused(condition, index)
        if refused is None:
            self._keys.check_compared(index, key_terms(condition))
            return
        for name in sorted(condition_names(condition)):
            meant = self._keys.meant_by(name)
            if meant is not None:
                self._findings.add(
                    "SK506",
                    "key_condition",
                    f"{name} is not a key attribute of {self._table}: did you mean {meant}?",
                    f"Write {meant}",
                )
                return
        indexes = (self._table.primary, *self._table.indexes.values())
        fitting = [other for other in indexes if _refused(condition, other) is None]
        if fitting:
            self._find_other_index(index, fitting)
            return
        keys = " and ".join([f"{attribute.name} =" for attribute in index.partition])
        then = f", then at most a range on {index.sort[0].name}" if index.sort else ""
        self._findings.add("SK506", "key_condition", refused, f"Write a condition {keys}{then}")

    def _find_other_index(self, index: Index, fitting: list[Index]) -> None:
        first = fitting[0]
        names = " and ".join(attribute.name for attribute in first.partition)
        read = "names no index" if index.kind == "primary" else f"reads {index}"
        known = " or ".join(f'`index="{other.name}"`' for other in fitting)
        verb = "Add" if index.kind == "primary" else "Write"
        self._findings.add(
            "SK506",
            "key_condition",
            f"{names} is the partition key of {first}, but the request {read}",
            "Remove `index=`"
            if first.kind == "primary"
            else f"{verb} {known}, whose key the condition names",
        )

    def _check_filter(self, condition: Condition | None, index: Index) -> None:
        named: frozenset[str] = frozenset() if condition is None else condition_names(condition)
        for attribute in index.attributes:
            if attribute.name in named:
                self._findings.add(
                    "SK507",
                    "filter",
                    f"{attribute.name} is a key of {index}, and DynamoDB does not allow a filter "
                    "on the key that is queried",
                    "Move it into the key condition",
                )

    def _check_projection(self, projection: Projection, index: Index) -> None:
        held = index.projection
        # A local index fetches from the table what it does not hold.
        if index.kind != "global" or held == "ALL":
            return
        keys = (*index.attributes, *self._table.primary.attributes)
        known = {attribute.name for attribute in keys} | set(() if isinstance(held, str) else held)
        for name in sorted(projection.names - known):
            self._findings.add(
                "SK515",
                "projection",
                f"{index} does not project {name}",
                "Project it, or remove it from the request",
            )

    def _check_select(self, index: Index) -> None:
        select = self._request.select
        if select not in WORDS[self._verb]["select"]:
            return
        whole = index.kind != "global" or index.projection == "ALL"
        if select == "ALL_ATTRIBUTES" and not whole:
            self._findings.add(
                "SK515",
                "select",
                f"{index} does not project all attributes",
                "Write ALL_PROJECTED_ATTRIBUTES, or read the table",
            )
        if select == "ALL_PROJECTED_ATTRIBUTES" and index.kind == "primary":
            self._findings.add(
                "SK510", "select", f"{select} is only for reads of an index", "Remove it"
            )
        projects = self._request.projection is not None
        if projects != (select == "SPECIFIC_ATTRIBUTES"):
            self._findings.add(
                "SK510",
                "select",
                f"{select} stands {'beside' if projects else 'without'} a projection",
                "Remove one of them" if projects else "Add a projection, or remove it",
            )

    def _key(self) -> dict[str, Value] | None:
        return self._attributes("key", self._request.key)

    def _attributes(
        self, member: str, written: Mapping[str, Any] | None
    ) -> dict[str, Value] | None:
        if written is None:
            return None
        self._keys.check_names(member, written)
        made = {name: self._texts.value(member, name, value) for name, value in written.items()}
        complete = {
            name: self._fitting.fit(name, value, str(written[name]))
            for name, value in made.items()
            if value is not None
        }
        self._keys.check_written(member, complete)
        return complete


def _refused(condition: Condition, index: Index) -> str | None:
    """Return why an index cannot be queried by a condition; None where it can."""
    partition = [attribute.name for attribute in index.partition]
    sort = [attribute.name for attribute in index.sort]
    try:
        read_key_condition(condition, partition, sort)
    except ValidationException as fault:
        return fault.message
    return None


def _takers(member: str) -> str:
    return ", ".join(verb for verb, taken in TAKEN.items() if member in taken)
