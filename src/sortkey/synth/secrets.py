"""The key of secret fields, and the roles that use it.

The keyring asks KMS for a new data key before it encrypts (``kms:GenerateDataKey``), and to unwrap
a stored one before it decrypts (``kms:Decrypt``). Both requests name the encryption context.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from sortkey.design.declaring.deployed_names import DeployedNames
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.roles import Role
from sortkey.design.plans.plan import PlannedStep
from sortkey.design.records.kind import EntityKind
from sortkey.expressions.tree import IfNotExists, Operation, Set, Value
from sortkey.operations.plan import Shape, Step
from sortkey.operations.secrets import Hidden
from sortkey.synth.model import Condition, RegionalKey, SecretKeyResource, Statement
from sortkey.synth.needs import Sent, is_lock, kinds_by_place, kinds_of

_GENERATE, _DECRYPT = "kms:GenerateDataKey", "kms:Decrypt"
# What DynamoDB returns of a record that is changed alone.
_RETURNED = frozenset({"UpdateItem", "DeleteItem"})


def secret_key_of(
    design: Design, names: DeployedNames, environment: str
) -> SecretKeyResource | None:
    """Return the key of a design's secret fields, if it declares one."""
    declared = design.about.secret_key
    if declared is None:
        return None
    regions = {
        replica.region: None
        for table in design.tables
        if any(kind.secrets for kind in design.kinds_of(table))
        for replica in table.definition.settings.replicas
    }
    return SecretKeyResource(
        names.alias,
        f"The key of the secret fields of {design.name} in {environment}",
        tuple(regions),
        declared.context,
    )


def secret_statements(
    role: Role, design: Design, sent: Sent, key: SecretKeyResource | None
) -> Iterator[Statement]:
    """Yield the statement for the key of secret fields, if a role's patterns use it."""
    if key is None:
        return
    uses = list(_uses(role, design, sent))
    if not uses:
        return
    yield Statement(
        sid="SecretFields",
        comment=f"For {', '.join(dict.fromkeys(pattern for pattern, _ in uses))}.",
        actions=tuple(sorted({action for _, action in uses})),
        resources=(RegionalKey(), *map(RegionalKey, key.regions)),
        conditions=context_conditions(key),
    )


def context_conditions(key: SecretKeyResource) -> tuple[Condition, ...]:
    """Return the conditions for the encryption context of the keyring."""
    named = ((f"kms:EncryptionContext:{name}", (value,)) for name, value in key.context.items())
    return tuple(("StringEquals", *condition) for condition in named)


def _uses(role: Role, design: Design, sent: Sent) -> Iterator[tuple[str, str]]:
    """Yield each pattern that uses the key, with each action."""
    kinds = kinds_by_place(design)
    for pattern in role.patterns:
        for path in sent[pattern]:
            later: list[tuple[PlannedStep, Shape]] = [(one, "single") for one in path.later]
            steps: list[tuple[PlannedStep, Shape]] = [(one, path.shape) for one in path.steps]
            for step, shape in (*steps, *later):
                for action in _actions(step, shape, kinds_of(step, kinds)):
                    yield pattern.name, action


def _actions(step: PlannedStep, shape: Shape, kinds: tuple[EntityKind[Any], ...]) -> Iterator[str]:
    secrets = {s.stored for kind in kinds for own in kind.secrets for s in own.fields}
    if not secrets or is_lock(step.sent):
        return
    # A record that moves is decrypted at its earlier place, and encrypted for the new one.
    moves = step.writes and any(kind.moving and kind.secrets for kind in kinds)
    if moves or any(isinstance(value, Hidden) for value in _written(step.sent)):
        yield _GENERATE
    if moves or (_shows(step, secrets) if step.reads else _returns(step.sent, shape)):
        yield _DECRYPT


def _written(step: Step) -> Iterator[object]:
    yield from (step.item or {}).values()
    for action in () if step.update is None else step.update.actions:
        if isinstance(action, Set):
            yield from _values(action.operation)


def _values(operation: Operation) -> Iterator[object]:
    match operation:
        case Value(value):
            yield value
        case IfNotExists():
            yield from _values(operation.otherwise)
        case _:
            pass


def _shows(step: PlannedStep, secrets: Iterable[str]) -> bool:
    """Return whether a read returns any of these attributes."""
    asked, index = step.projection, step.definition
    shown = set(secrets) if asked is None else asked.names.intersection(secrets)
    if index is None or index.kind != "global" or index.projection == "ALL":
        return bool(shown)
    return not isinstance(index.projection, str) and not shown.isdisjoint(index.projection)


def _returns(step: Step, shape: Shape) -> bool:
    return shape == "single" and step.verb in _RETURNED
