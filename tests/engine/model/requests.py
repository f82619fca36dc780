"""The model's operations as the requests that DynamoDB takes, expressions and all."""

from base64 import b64encode
from collections.abc import Iterable
from typing import Any

from tests.engine.model import expressions as tree
from tests.engine.model.operations import (
    BatchGet,
    BatchWrite,
    Check,
    Delete,
    Get,
    Index,
    Operation,
    Put,
    Read,
    Table,
    TransactGet,
    TransactWrite,
    Update,
    Write,
)
from tests.engine.model.values import Item, Value, kind


class Requests:
    """Writes requests, with the members of sets in one order or the other."""

    def __init__(self, *, flipped: bool = False) -> None:
        self._flipped = flipped

    def operation(self, operation: Operation) -> tuple[str, dict[str, Any]]:
        """The name of the action, and its request."""
        match operation:
            case Get():
                return "GetItem", self._get(operation)
            case Put() | Update() | Delete():
                request = self._write(operation)
                if operation.returns != "NONE":
                    request["ReturnValues"] = operation.returns
                return f"{type(operation).__name__}Item", request
            case BatchGet(gets):
                tables: dict[str, Any] = {}
                for get in gets:
                    request = self._get(get)
                    del request["TableName"]
                    keys = tables.setdefault(get.table, request | {"Keys": []})["Keys"]
                    keys.append(request["Key"])
                for request in tables.values():
                    del request["Key"]
                return "BatchGetItem", {"RequestItems": tables}
            case BatchWrite(writes):
                lists: dict[str, Any] = {}
                for write in writes:
                    request = self._write(write)
                    del request["TableName"]
                    kept = lists.setdefault(write.table, [])
                    kept.append({f"{type(write).__name__}Request": request})
                return "BatchWriteItem", {"RequestItems": lists}
            case TransactGet(gets):
                parts = [{"Get": self._get(get)} for get in gets]
                for part in parts:
                    part["Get"].pop("ConsistentRead", None)
                return "TransactGetItems", {"TransactItems": parts}
            case TransactWrite(writes, token):
                parts = [{_part_name(write): self._write(write)} for write in writes]
                named = {"ClientRequestToken": token} if token else {}
                return "TransactWriteItems", {"TransactItems": parts, **named}

    def read(self, read: Read) -> tuple[str, dict[str, Any]]:
        """A Query or a Scan, without its limit and start."""
        request: dict[str, Any] = {"TableName": read.table}
        if read.index:
            request["IndexName"] = read.index
        if read.backward:
            request["ScanIndexForward"] = False
        if read.select:
            request["Select"] = read.select
        if read.consistent:
            request["ConsistentRead"] = True
        text = _Text(self)
        if read.key:
            conditions = [text.condition(each) for each in read.key]
            request["KeyConditionExpression"] = " AND ".join(conditions)
        if read.filter:
            request["FilterExpression"] = text.condition(read.filter)
        if read.paths:
            request["ProjectionExpression"] = text.paths(read.paths)
        return "Query" if read.key else "Scan", request | text.placeholders()

    def item(self, item: Item) -> dict[str, Any]:
        """An item as a caller may spell it."""
        return {name: self.value(value) for name, value in item.items()}

    def value(self, value: Value) -> dict[str, Any]:
        """A value as a caller may spell it: any order of a set, any spelling of a number."""
        letters = kind(value)
        match letters:
            case "S" | "N":
                content: Any = str(value)
            case "B":
                content = b64encode(value).decode()
            case "NULL":
                content = True
            case "L":
                content = [self.value(element) for element in value]
            case "M":
                content = self.item(value)
            case "SS" | "NS" | "BS":
                members = [self.value(member)[letters[0]] for member in value]
                content = sorted(members, reverse=self._flipped)
            case _:
                content = value
        return {letters: content}

    def _get(self, get: Get) -> dict[str, Any]:
        text = _Text(self)
        request: dict[str, Any] = {"TableName": get.table, "Key": self.item(get.key)}
        if get.consistent:
            request["ConsistentRead"] = True
        if get.paths:
            request["ProjectionExpression"] = text.paths(get.paths)
        return request | text.placeholders()

    def _write(self, write: Write) -> dict[str, Any]:
        text = _Text(self)
        request: dict[str, Any] = {"TableName": write.table}
        if isinstance(write, Put):
            request["Item"] = self.item(write.item)
        else:
            request["Key"] = self.item(write.key)
        if isinstance(write, Update):
            request["UpdateExpression"] = text.update(write.actions)
        if write.condition is not None:
            request["ConditionExpression"] = text.condition(write.condition)
        if write.on_failure != "NONE":
            request["ReturnValuesOnConditionCheckFailure"] = write.on_failure
        return request | text.placeholders()


def _part_name(write: Write) -> str:
    return "ConditionCheck" if isinstance(write, Check) else type(write).__name__


class _Text:
    """Writes expressions, every name and value of which is a placeholder."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._names: dict[str, str] = {}
        self._values: dict[str, Any] = {}

    def placeholders(self) -> dict[str, Any]:
        """The members that say what the placeholders stand for."""
        members: dict[str, Any] = {}
        if self._names:
            members["ExpressionAttributeNames"] = {
                placeholder: name for name, placeholder in self._names.items()
            }
        if self._values:
            members["ExpressionAttributeValues"] = self._values
        return members

    def path(self, path: tree.Path) -> str:
        text = ""
        for part in path:
            if isinstance(part, int):
                text += f"[{part}]"
            else:
                name = self._names.setdefault(part, f"#n{len(self._names)}")
                text += f".{name}" if text else name
        return text

    def paths(self, paths: Iterable[tree.Path]) -> str:
        return ", ".join(map(self.path, paths))

    def literal(self, value: Value) -> str:
        name = f":v{len(self._values)}"
        self._values[name] = self._requests.value(value)
        return name

    def condition(self, condition: tree.Condition) -> str:
        operand = self.operation
        match condition:
            case tree.Compare(op, left, right):
                return f"{operand(left)} {op} {operand(right)}"
            case tree.Between(value, low, high):
                return f"{operand(value)} BETWEEN {operand(low)} AND {operand(high)}"
            case tree.In(value, choices):
                return f"{operand(value)} IN ({', '.join(map(operand, choices))})"
            case tree.Exists(path):
                return f"attribute_exists({self.path(path)})"
            case tree.HasType(path, letters):
                return f"attribute_type({self.path(path)}, {self.literal(letters)})"
            case tree.BeginsWith(value, prefix):
                return f"begins_with({operand(value)}, {operand(prefix)})"
            case tree.Contains(value, element):
                return f"contains({operand(value)}, {operand(element)})"
            case tree.Not(tree.Exists(path)):
                return f"attribute_not_exists({self.path(path)})"
            case tree.Not(inner):
                return f"NOT {self._inner(inner)}"
            case tree.And(left, right):
                return f"{self._inner(left)} AND {self._inner(right)}"
            case tree.Or(left, right):
                return f"{self._inner(left)} OR {self._inner(right)}"

    def _inner(self, condition: tree.Condition) -> str:
        text = self.condition(condition)
        return f"({text})" if isinstance(condition, tree.And | tree.Or | tree.Not) else text

    def operation(self, operation: tree.Operand | tree.Operation) -> str:
        match operation:
            case tree.At(path):
                return self.path(path)
            case tree.Literal(value):
                return self.literal(value)
            case tree.SizeOf(path):
                return f"size({self.path(path)})"
            case tree.Plus(left, right):
                return f"{self.operation(left)} + {self.operation(right)}"
            case tree.Minus(left, right):
                return f"{self.operation(left)} - {self.operation(right)}"
            case tree.IfNotExists(path, otherwise):
                return f"if_not_exists({self.path(path)}, {self.operation(otherwise)})"
            case tree.ListAppend(first, second):
                return f"list_append({self.operation(first)}, {self.operation(second)})"

    def update(self, actions: Iterable[tree.Action]) -> str:
        sections: dict[str, list[str]] = {}
        for action in actions:
            match action:
                case tree.Set(path, operation):
                    text = f"{self.path(path)} = {self.operation(operation)}"
                case tree.Remove(path):
                    text = self.path(path)
                case tree.Add(path, value) | tree.Delete(path, value):
                    text = f"{self.path(path)} {self.literal(value)}"
            sections.setdefault(type(action).__name__.upper(), []).append(text)
        return " ".join(f"{section} {', '.join(texts)}" for section, texts in sections.items())


def create_table(table: Table) -> dict[str, Any]:
    """The request that makes a table."""
    request: dict[str, Any] = {
        "TableName": table.name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _schema(table),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": letters}
            for name, letters in table.kinds.items()
        ],
    }
    for index in table.indexes:
        member = f"{'Global' if index.is_global else 'Local'}SecondaryIndexes"
        request.setdefault(member, []).append(
            {
                "IndexName": index.name,
                "KeySchema": _schema(index),
                "Projection": _projection(index),
            }
        )
    return request


def _schema(source: Table | Index) -> list[dict[str, str]]:
    return [
        *({"AttributeName": name, "KeyType": "HASH"} for name in source.partition),
        *({"AttributeName": name, "KeyType": "RANGE"} for name in source.sort),
    ]


def _projection(index: Index) -> dict[str, Any]:
    if index.included is None:
        return {"ProjectionType": "ALL"}
    if not index.included:
        return {"ProjectionType": "KEYS_ONLY"}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": sorted(index.included)}
