"""Encryption of the secrets in requests, and decryption of those in responses."""

from collections.abc import Mapping
from dataclasses import replace

from sortkey.expressions.tree import Action, IfNotExists, Operation, Set, Update, Value
from sortkey.operations.conversation import Answer, Conversation
from sortkey.operations.operation import Context
from sortkey.operations.plan import Step
from sortkey.operations.secrets import Hidden, Secrets
from sortkey.wire.values import AttributeValue, Item


def expect_keys(secrets: tuple[Secrets, ...], context: Context) -> None:
    """Refuse to read secrets with a database that has no keys."""
    for own in secrets:
        for secret in own.fields:
            context.secrets._expect(secret)


def encrypted(step: Step, context: Context) -> Conversation[Step]:
    """Return the step with its secrets encrypted."""
    if step.item is not None:
        item: Item = {}
        for name, value in step.item.items():
            item[name] = yield from _encrypted_value(value, step.item, context)
        return replace(step, item=item)
    if step.update is None:
        return step
    key = {name: value.value for name, value in (step.key or {}).items()}
    actions: list[Action] = []
    for action in step.update.actions:
        if isinstance(action, Set):
            operation = yield from _encrypted_operation(action.operation, key, context)
            actions.append(replace(action, operation=operation))
        else:
            actions.append(action)
    return replace(step, update=Update(tuple(actions)))


def _encrypted_operation(
    operation: Operation, key: Mapping[str, AttributeValue], context: Context
) -> Conversation[Operation]:
    match operation:
        case Value(Hidden() as hidden):
            return Value((yield from _encrypted_value(hidden, key, context)))
        case IfNotExists():
            otherwise = yield from _encrypted_operation(operation.otherwise, key, context)
            return replace(operation, otherwise=otherwise)
        case _:
            return operation


def _encrypted_value(
    value: AttributeValue, key: Mapping[str, AttributeValue], context: Context
) -> Conversation[AttributeValue]:
    if not isinstance(value, Hidden):
        return value
    return (yield from context.secrets._encrypt(value, value.secret.key_in(key)))


def decrypted(item: Item, secrets: tuple[Secrets, ...], context: Context) -> Conversation[Item]:
    """Return the item with its secrets decrypted, if it is of one of these kinds."""
    for own in secrets:
        if own.is_mine(item):
            return (yield from _decrypted(item, own, context))
    return item


def _decrypted(item: Item, own: Secrets, context: Context) -> Conversation[Item]:
    readable = dict(item)
    for secret in own.fields:
        stored = item.get(secret.stored)
        if isinstance(stored, Hidden):
            readable[secret.stored] = stored.plain
        elif stored is not None and "NULL" not in stored:
            key = secret.key_in(item)
            readable[secret.stored] = yield from context.secrets._decrypt(secret, key, stored)
    return readable


def decrypted_all(
    items: list[Item], secrets: tuple[Secrets, ...], context: Context
) -> Conversation[list[Item]]:
    """Return the items with their secrets decrypted."""
    readable: list[Item] = []
    for item in items:
        found = yield from decrypted(item, secrets, context)
        readable.append(found)
    return readable


def decrypted_answer(
    answer: Answer, member: str, secrets: tuple[Secrets, ...], context: Context
) -> Conversation[Answer]:
    """Return the response with the secrets of its item decrypted, if it has an item."""
    if member not in answer:
        return answer
    return {**answer, member: (yield from decrypted(answer[member], secrets, context))}
