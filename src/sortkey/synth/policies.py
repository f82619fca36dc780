"""A policy for each role, with exactly the permissions that its patterns need."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from sortkey.design.declaring.deployed_names import names_in
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.roles import LONGEST_POLICY, MOST_POLICIES, Role
from sortkey.errors import Refused
from sortkey.synth.documents import document
from sortkey.synth.following import following_needs, following_statements
from sortkey.synth.model import (
    Condition,
    Policy,
    Resource,
    SecretKeyResource,
    Statement,
    TableResource,
)
from sortkey.synth.naming import pascal
from sortkey.synth.needs import WRITES, Need, Sent, merged, needs_of
from sortkey.synth.partitions import Partitions, subject_variable
from sortkey.synth.secrets import secret_statements

_READS = frozenset({"BatchGetItem", "GetItem", "Query", "Scan"})
# The actions on a key that DynamoDB needs for readers and for writers.
KEY_READS = ("kms:Decrypt", "kms:DescribeKey")
_KEY_WRITES = ("kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*")
KEY_VIA_DYNAMODB: tuple[Condition, ...] = (
    ("StringLike", "kms:ViaService", ("dynamodb.*.amazonaws.com",)),
)

# Whose partitions a request reaches: the subject's, shared ones, or any.
_Whose: TypeAlias = Literal["own", "shared", "any"]


@dataclass(frozen=True, slots=True)
class _Scope:
    """Partitions of a table or an index, and the attributes that may be named there."""

    table: str
    whose: _Whose
    texts: tuple[str, ...]
    attributes: tuple[str, ...] | None


def policies_of(
    design: Design,
    sent: Sent,
    tables: Mapping[str, TableResource],
    key: SecretKeyResource | None,
    environment: str,
) -> Iterator[Policy]:
    """Return the policies of each role, in the order of the design.

    Those of functions follow, if a role acts for a subject: no function has a session tag.
    """
    writer = _PolicyWriter(design, sent, tables, key, environment)
    for role in design.roles:
        text = f"What the patterns of the role {role.name} send"
        whose = "" if role.acts_for is None else f", each session for one {role.acts_for}"
        yield from writer.policies(role, f"{text}{whose}")
    used = {id(function.role): function.role for function in design.functions}
    for role in used.values():
        if role.acts_for is not None:
            many = replace(role, name=role_of(role), acts_for=None, attached_to=None)
            text = f"What the patterns of the role {role.name} send in functions"
            yield from writer.policies(many, text)


def role_of(role: Role) -> str:
    """Return the name of a role in functions, which act for nobody."""
    return role.name if role.acts_for is None else f"{role.name}.functions"


@dataclass(frozen=True, slots=True)
class _PolicyWriter:
    """Writes the policies of the roles of a design."""

    design: Design
    sent: Sent
    tables: Mapping[str, TableResource]
    key: SecretKeyResource | None
    environment: str

    def policies(self, role: Role, description: str) -> Iterator[Policy]:
        """Yield the policies of a role: one, or several if IAM would not accept the length."""
        design, sent, tables = self.design, self.sent, self.tables
        needs = [*needs_of(role, design, sent, tables), *following_needs(role, tables)]
        if role.acts_for is None:
            # One role for many subjects: a statement for each action, not for each of its patterns.
            needs = list(merged(needs))
        others = (
            *following_statements(role, tables),
            *secret_statements(role, design, sent, self.key),
        )
        statements = (
            *_numbered((*_statements(role, needs), *others)),
            *_key_statements(needs),
        )
        parts = list(_parts(statements))
        _check_size(role, parts)
        names = names_in(design, self.environment)
        principal = role.principal_in(self.environment)
        unconfined = tuple(_unconfined(role, needs))
        for number, part in enumerate(parts, 1):
            yield Policy(
                id=f"{pascal(role.name)}Policy{'' if number == 1 else number}",
                name=names.policy(role.name, number),
                description=description if number == 1 else f"{description}, part {number}",
                role=role.name,
                statements=part,
                unconfined=unconfined if number == 1 else (),
                principal=principal,
            )


def _check_size(role: Role, parts: Sequence[tuple[Statement, ...]]) -> None:
    """Raise an error if IAM would accept neither one policy nor several."""
    for part in parts:
        if _length(part) > LONGEST_POLICY:
            raise Refused(
                f"one statement of the role {role.name}, {part[0].sid}, would have about "
                f"{_length(part):,} characters, but IAM accepts {LONGEST_POLICY:,}: split the "
                "role in two"
            )
    if len(parts) > MOST_POLICIES:
        raise Refused(
            f"the role {role.name} would need {len(parts)} policies of {LONGEST_POLICY:,} "
            f"characters, but IAM attaches {MOST_POLICIES} to a role: split the role in two"
        )


def _parts(statements: Iterable[Statement]) -> Iterator[tuple[Statement, ...]]:
    """Yield the statements of one policy after the other, none longer than IAM allows."""
    part: tuple[Statement, ...] = ()
    for statement in statements:
        if part and _length((*part, statement)) > LONGEST_POLICY:
            yield part
            part = ()
        part = (*part, statement)
    # A role that sends nothing has no policy, because IAM accepts none without statements.
    if part:
        yield part


def _length(statements: tuple[Statement, ...]) -> int:
    return len(json.dumps(document(statements), separators=(",", ":")))


def _statements(role: Role, needs: Sequence[Need]) -> Iterator[Statement]:
    tables = {need.table.id: need.table for need in needs}
    for (scope, actions), indexes in _granted(needs).items():
        table = tables[scope.table]
        asked = [n for n in needs if n.action in actions and n.index in indexes]
        whose = "" if scope.whose == "any" else scope.whose.title()
        yield Statement(
            sid=f"{scope.table.removesuffix('Table')}{whose}",
            comment=_comment(role, scope, [n.pattern for n in asked if _is_within(n, scope)]),
            actions=tuple(f"dynamodb:{action}" for action in actions),
            resources=tuple(_resources(table, indexes)),
            conditions=tuple(_conditions(scope, actions)),
        )


def _granted(needs: Iterable[Need]) -> dict[tuple[_Scope, tuple[str, ...]], list[str | None]]:
    """Return the indexes, and None for the table, for each scope and its actions.

    Scopes that differ only in partitions, in actions or in indexes are merged, unless that would
    allow more than the needs.
    """
    texts: dict[tuple[str, str, str | None, _Whose, tuple[str, ...] | None], set[str]] = {}
    for need in needs:
        where = need.partitions
        place = (need.table.id, need.action, need.index, _whose(where), _attributes(need))
        texts.setdefault(place, set()).update(() if where is None else where.texts)
    actions: dict[tuple[str | None, _Scope], set[str]] = {}
    for (table, action, index, whose, attributes), found in texts.items():
        scope = _Scope(table, whose, tuple(sorted(found)), attributes)
        actions.setdefault((index, scope), set()).add(action)
    granted: dict[tuple[_Scope, tuple[str, ...]], list[str | None]] = {}
    for (index, scope), allowed in actions.items():
        granted.setdefault((scope, tuple(sorted(allowed))), []).append(index)
    return granted


def _is_within(need: Need, scope: _Scope) -> bool:
    return (
        (need.table.id, _whose(need.partitions)) == (scope.table, scope.whose)
        and _attributes(need) == scope.attributes
        and {*(need.partitions.texts if need.partitions else ())} <= {*scope.texts}
    )


def _attributes(need: Need) -> tuple[str, ...] | None:
    return None if need.attributes is None else tuple(sorted(need.attributes))


def _whose(partitions: Partitions | None) -> _Whose:
    if partitions is None:
        return "any"
    return "own" if partitions.is_confined else "shared"


def _resources(table: TableResource, indexes: Iterable[str | None]) -> Iterator[Resource]:
    regions = (None, *(replica.region for replica in table.replicas))
    for index in sorted(indexes, key=lambda name: name or ""):
        yield from (Resource(table, index, region) for region in regions)


def _conditions(scope: _Scope, actions: Iterable[str]) -> Iterator[Condition]:
    """Yield the conditions of a scope.

    ``ForAllValues`` is true for a request without such a key, so it is never used alone.
    """
    if scope.whose != "any":
        exact = Partitions(scope.texts, is_confined=True).is_exact
        operator = "StringEquals" if exact else "StringLike"
        yield (f"ForAllValues:{operator}", "dynamodb:LeadingKeys", scope.texts)
        yield ("Null", "dynamodb:LeadingKeys", ("false",))
    if scope.attributes is not None:
        yield ("ForAllValues:StringEquals", "dynamodb:Attributes", scope.attributes)
        yield ("Null", "dynamodb:Attributes", ("false",))
        if _READS.intersection(actions):
            yield ("StringEqualsIfExists", "dynamodb:Select", ("SPECIFIC_ATTRIBUTES",))


def _comment(role: Role, scope: _Scope, patterns: Iterable[str]) -> str:
    text = f"For {', '.join(dict.fromkeys(patterns))}."
    if role.acts_for is None or scope.whose == "own":
        return text
    return (
        f"{text} These partitions are not of one {role.acts_for}: no policy keeps sessions apart "
        "in them, so the application must."
    )


def _numbered(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Return the statements with distinct names, as IAM requires."""
    seen: dict[str, int] = {}
    for statement in statements:
        seen[statement.sid] = number = seen.get(statement.sid, 0) + 1
        sid = statement.sid if number == 1 else f"{statement.sid}{number}"
        yield Statement(
            sid,
            statement.comment,
            statement.actions,
            statement.resources,
            statement.conditions,
        )


def _key_statements(needs: Sequence[Need]) -> Iterator[Statement]:
    """Yield statements that allow customer keys to be used through DynamoDB only."""
    written = {need.table.id for need in needs if need.action in WRITES}
    keys: dict[bool, dict[str, None]] = {}
    for need in needs:
        table = need.table
        own = [table.own_key, *(replica.key for replica in table.replicas)]
        used = keys.setdefault(table.id in written, {})
        used.update(dict.fromkeys(key for key in own if key is not None))
    for is_written, used in keys.items():
        if used:
            yield Statement(
                "KeysOfWrittenTables" if is_written else "KeysOfReadTables",
                "DynamoDB uses the keys of these tables on behalf of the caller.",
                tuple(sorted((*KEY_READS, *_KEY_WRITES) if is_written else KEY_READS)),
                tuple(used),
                KEY_VIA_DYNAMODB,
            )


def _unconfined(role: Role, needs: Iterable[Need]) -> Iterator[str]:
    if role.acts_for is None:
        return
    places: dict[str, dict[str, None]] = {}
    for need in needs:
        where = need.partitions
        if where is not None and where.is_confined:
            continue
        index = "" if need.index is None else f", {need.index}"
        own = subject_variable(role.acts_for)
        shared = [] if where is None else [text for text in where.texts if own not in text]
        which = shared[0] if shared else "any partition"
        places.setdefault(f"{which} of {need.table.name}{index}", {})[need.pattern] = None
    for place, patterns in places.items():
        yield (
            f"{role.name}: isolation by policy is impossible in {place}, where no {role.acts_for} "
            f"is in the partition key ({', '.join(patterns)})"
        )
