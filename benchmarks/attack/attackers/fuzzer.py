"""Requests of every operation, changed by chance.

A request that gets a new kind of response joins the corpus, from which later requests are made:
so the fuzzer finds its way behind the first checks. The corpus is kept from run to run.
"""

import base64
import json
import re
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, TypeAlias, cast

import orjson

from benchmarks.attack.arena import Arena
from benchmarks.attack.exchange import Link, Reply, request
from benchmarks.attack.polite import TABLE as POLITE_TABLE

Seed: TypeAlias = tuple[str, Any]
Place: TypeAlias = tuple[Any, Any]

_CLIENTS = 4
_TABLE = "Fuzz"
_MOST_SEEDS = 4000
_MOST_SEED_BYTES = 20_000
_TIDY_REQUESTS = 500
_MOST_PLACES = 1000
_KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
_VALUES = {
    "s": {"S": "text"},
    "n": {"N": "1.5"},
    "b": {"B": "AAEC"},
    "t": {"BOOL": True},
    "z": {"NULL": True},
    "l": {"L": [{"N": "1"}, {"S": "x"}]},
    "m": {"M": {"a": {"N": "2"}}},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2"]},
    "bs": {"BS": ["AA==", "AQ=="]},
}
_ITEM = _KEY | _VALUES | {"g": {"S": "g"}}
_ARN = f"arn:aws:dynamodb:us-east-1:000000000000:table/{_TABLE}"
_STREAM = f"{_ARN}/stream/2026-11-18T11:44:23.760"
_SHARD = "shardId-00000001795002263760-00000002"
_EXPORT = f"{_ARN}/export/01795002263760-a1b2c3d4"
_IMPORT = f"{_ARN}/import/01795002263760-a1b2c3d4"
_BULK = f"{_ARN}/bulk-operation/01795002263760-a1b2c3d4"
_BACKUP = f"{_ARN}/backup/01795002263760-a1b2c3d4"
_INDEX = {
    "IndexName": "by-g",
    "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["s"]},
}
_LOCAL_INDEX = {
    "IndexName": "by-n",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "n", "KeyType": "RANGE"},
    ],
    "Projection": {"ProjectionType": "ALL"},
}
_CREATE: dict[str, Any] = {
    "TableName": _TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("pk", "S"), ("sk", "N"), ("g", "S"), ("n", "N"))
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "GlobalSecondaryIndexes": [_INDEX],
    "LocalSecondaryIndexes": [_LOCAL_INDEX],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}
_UPDATE = {
    "TableName": _TABLE,
    "Key": _KEY,
    "UpdateExpression": "SET m.#a = if_not_exists(m.#a, :n) + :n, l[0] = :s REMOVE z ADD ns :ns",
    "ConditionExpression": "attribute_exists(pk) AND NOT (size(s) > :n OR begins_with(s, :s))",
    "ExpressionAttributeNames": {"#a": "a"},
    "ExpressionAttributeValues": {":n": {"N": "1"}, ":s": {"S": "q"}, ":ns": {"NS": ["7"]}},
    "ReturnValues": "ALL_NEW",
    "ReturnConsumedCapacity": "INDEXES",
    "ReturnItemCollectionMetrics": "SIZE",
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
}
_QUERY = {
    "TableName": _TABLE,
    "KeyConditionExpression": "pk = :p AND sk BETWEEN :n AND :m",
    "FilterExpression": "contains(ss, :p) OR n IN (:n, :m) OR attribute_type(m, :p)",
    "ProjectionExpression": "pk, m.a, l[1]",
    "ExpressionAttributeValues": {":p": {"S": "a"}, ":n": {"N": "0"}, ":m": {"N": "9"}},
    "Limit": 5,
    "ScanIndexForward": False,
    "ExclusiveStartKey": _KEY,
}
SEEDS: tuple[Seed, ...] = (
    ("CreateTable", _CREATE),
    ("PutItem", {"TableName": _TABLE, "Item": _ITEM, "ReturnValues": "ALL_OLD"}),
    (
        "PutItem",
        {
            "TableName": _TABLE,
            "Item": _ITEM,
            "Expected": {"s": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "text"}]}},
            "ConditionalOperator": "AND",
        },
    ),
    ("UpdateItem", _UPDATE),
    (
        "UpdateItem",
        {
            "TableName": _TABLE,
            "Key": _KEY,
            "AttributeUpdates": {"n": {"Action": "ADD", "Value": {"N": "1"}}},
        },
    ),
    ("GetItem", {"TableName": _TABLE, "Key": _KEY, "ProjectionExpression": "m.a, l[0], ss"}),
    ("GetItem", {"TableName": _TABLE, "Key": _KEY, "AttributesToGet": ["s", "n"]}),
    ("Query", _QUERY),
    (
        "Query",
        {
            "TableName": _TABLE,
            "IndexName": "by-g",
            "KeyConditions": {
                "g": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "g"}]}
            },
            "QueryFilter": {"s": {"ComparisonOperator": "NOT_NULL"}},
            "Select": "ALL_PROJECTED_ATTRIBUTES",
        },
    ),
    (
        "Scan",
        {
            "TableName": _TABLE,
            "IndexName": "by-n",
            "FilterExpression": "n >= :n",
            "ExpressionAttributeValues": {":n": {"N": "-1e10"}},
            "Segment": 0,
            "TotalSegments": 2,
            "ConsistentRead": True,
        },
    ),
    ("Scan", {"TableName": _TABLE, "ScanFilter": {"n": {"ComparisonOperator": "NULL"}}}),
    (
        "BatchGetItem",
        {"RequestItems": {_TABLE: {"Keys": [_KEY], "ProjectionExpression": "pk, s"}}},
    ),
    (
        "BatchWriteItem",
        {
            "RequestItems": {
                _TABLE: [
                    {"PutRequest": {"Item": _ITEM}},
                    {"DeleteRequest": {"Key": {"pk": {"S": "b"}, "sk": {"N": "2"}}}},
                ]
            }
        },
    ),
    (
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": {"TableName": _TABLE, "Item": _ITEM}},
                {"Delete": {"TableName": _TABLE, "Key": {"pk": {"S": "b"}, "sk": {"N": "2"}}}},
                {
                    "ConditionCheck": {
                        "TableName": _TABLE,
                        "Key": {"pk": {"S": "c"}, "sk": {"N": "3"}},
                        "ConditionExpression": "attribute_not_exists(pk)",
                    }
                },
                {
                    "Update": {
                        "TableName": _TABLE,
                        "Key": {"pk": {"S": "d"}, "sk": {"N": "4"}},
                        "UpdateExpression": "SET l = list_append(if_not_exists(l, :l), :l)",
                        "ExpressionAttributeValues": {":l": {"L": [{"N": "1"}]}},
                    }
                },
            ],
            "ClientRequestToken": "token",
        },
    ),
    (
        "ExecuteStatement",
        {
            "Statement": (
                f'SELECT pk, m.a, l[1] FROM "{_TABLE}"."by-g" WHERE g = ? AND (n BETWEEN 1 AND 9 '
                "OR NOT contains(s, 'x')) AND b IS NOT MISSING ORDER BY g DESC"
            ),
            "Parameters": [{"S": "g"}],
            "Limit": 3,
        },
    ),
    (
        "ExecuteStatement",
        {
            "Statement": (
                f"UPDATE \"{_TABLE}\" SET n = n + 1 SET ss = set_add(ss, <<'x'>>) REMOVE l[0] "
                "WHERE pk = 'a' AND sk = 1 AND size(s) > 2 RETURNING MODIFIED NEW *"
            )
        },
    ),
    (
        "BatchExecuteStatement",
        {
            "Statements": [
                {"Statement": f"SELECT * FROM \"{_TABLE}\" WHERE pk = 'a' AND sk = 1"},
                {
                    "Statement": f'SELECT s FROM "{_TABLE}" WHERE pk = ? AND sk = ?',
                    "Parameters": [{"S": "b"}, {"N": "2"}],
                    "ConsistentRead": True,
                },
            ]
        },
    ),
    (
        "ExecuteTransaction",
        {
            "TransactStatements": [
                {"Statement": f"INSERT INTO \"{_TABLE}\" VALUE {{'pk': 'e', 'sk': 1, 'l': []}}"},
                {"Statement": f"EXISTS(SELECT * FROM \"{_TABLE}\" WHERE pk='a' AND sk=1 AND n>0)"},
                {"Statement": f"DELETE FROM \"{_TABLE}\" WHERE pk = 'b' AND sk = 2"},
            ],
            "ClientRequestToken": "statements",
        },
    ),
    ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": _TABLE, "Key": _KEY}}]}),
    ("DeleteItem", {"TableName": _TABLE, "Key": _KEY, "ReturnValues": "ALL_OLD"}),
    ("DescribeTable", {"TableName": _TABLE}),
    ("DescribeTable", {"TableName": _ARN}),
    ("ListTables", {"Limit": 3, "ExclusiveStartTableName": "Aaa"}),
    ("UpdateTable", {"TableName": _TABLE, "DeletionProtectionEnabled": False}),
    (
        "UpdateContinuousBackups",
        {
            "TableName": _TABLE,
            "PointInTimeRecoverySpecification": {
                "PointInTimeRecoveryEnabled": True,
                "RecoveryPeriodInDays": 7,
            },
        },
    ),
    ("DescribeContinuousBackups", {"TableName": _TABLE}),
    ("CreateBackup", {"TableName": _TABLE, "BackupName": "kept"}),
    ("ListBackups", {"TableName": _TABLE, "Limit": 5, "BackupType": "ALL"}),
    ("DescribeBackup", {"BackupArn": _BACKUP}),
    ("DeleteBackup", {"BackupArn": _BACKUP}),
    ("RestoreTableFromBackup", {"BackupArn": _BACKUP, "TargetTableName": "Restored"}),
    (
        "RestoreTableToPointInTime",
        {
            "SourceTableName": _TABLE,
            "TargetTableName": "Restored",
            "UseLatestRestorableTime": True,
            "GlobalSecondaryIndexOverride": [],
        },
    ),
    (
        "ExportTableToPointInTime",
        {
            "TableArn": _ARN,
            "S3Bucket": "fuzz",
            "S3Prefix": "full",
            "S3SseAlgorithm": "AES256",
            "ExportFormat": "ION",
            "ClientToken": "export",
            "FilterSpecification": {
                "KeyConditionExpression": "pk = :p AND sk > :s",
                "FilterExpression": "contains(#s, :p)",
                "ProjectionExpression": "pk, #s",
                "ExpressionAttributeNames": {"#s": "s"},
                "ExpressionAttributeValues": {":p": {"S": "a"}, ":s": {"N": "0"}},
            },
        },
    ),
    (
        "ExportTableToPointInTime",
        {
            "TableArn": _ARN,
            "S3Bucket": "missing",
            "ExportType": "INCREMENTAL_EXPORT",
            "IncrementalExportSpecification": {
                "ExportFromTime": 1_795_002_000,
                "ExportToTime": 1_795_003_000,
                "ExportViewType": "NEW_IMAGE",
            },
        },
    ),
    ("DescribeExport", {"ExportArn": _EXPORT}),
    ("ListExports", {"TableArn": _ARN, "MaxResults": 5, "NextToken": _EXPORT}),
    (
        "ImportTable",
        {
            "ClientToken": "import",
            "S3BucketSource": {"S3Bucket": "fuzz", "S3KeyPrefix": "full/"},
            "InputFormat": "CSV",
            "InputFormatOptions": {"Csv": {"Delimiter": ";", "HeaderList": ["pk", "sk", "g"]}},
            "InputCompressionType": "GZIP",
            "TableCreationParameters": {
                "TableName": "Imported",
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": _CREATE["AttributeDefinitions"][:3],
                "KeySchema": _CREATE["KeySchema"],
                "GlobalSecondaryIndexes": [_INDEX],
            },
        },
    ),
    ("DescribeImport", {"ImportArn": _IMPORT}),
    ("ListImports", {"TableArn": _ARN, "PageSize": 5}),
    (
        "StartBulkPutItems",
        {
            "ClientToken": "bulk",
            "TableName": _TABLE,
            "InputS3Configuration": {
                "S3Bucket": "fuzz",
                "InputFormat": "ION",
                "InputCompressionType": "GZIP",
            },
            "OutputS3Configuration": {
                "S3Bucket": "fuzz",
                "S3KeyPrefix": "reports",
                "OutputType": ["ERROR", "CONDITION_CHECK_FAILURE"],
            },
            "MaxWriteRequestUnits": 2000,
            "PerformanceTier": "ACCELERATED",
        },
    ),
    ("DescribeBulkOperation", {"BulkOperationArn": _BULK}),
    ("ListBulkOperations", {"MaxResults": 5}),
    ("CancelBulkOperation", {"BulkOperationArn": _BULK}),
    ("DeleteTable", {"TableName": "Imported"}),
    ("DeleteTable", {"TableName": "Restored"}),
    ("SplitPartition", {"TableName": _TABLE, "Partition": 0}),
    ("MoveClock", {"Seconds": 60}),
    ("DescribeMeters", {}),
    ("DescribeWeather", {}),
    ("ListStreams", {"TableName": _TABLE, "Limit": 5, "ExclusiveStartStreamArn": _STREAM}),
    ("DescribeStream", {"StreamArn": _STREAM, "ExclusiveStartShardId": _SHARD}),
    (
        "GetShardIterator",
        {"StreamArn": _STREAM, "ShardId": _SHARD, "ShardIteratorType": "TRIM_HORIZON"},
    ),
    ("GetRecords", {"ShardIterator": f"{_STREAM}|1|WzEyODg0OTAxODg4LHRydWUsMC4wXQ==", "Limit": 9}),
    (
        "UpdateTable",
        {
            "TableName": _TABLE,
            "AttributeDefinitions": _CREATE["AttributeDefinitions"],
            "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-g"}}, {"Create": _INDEX}],
        },
    ),
    (
        "UpdateTimeToLive",
        {
            "TableName": _TABLE,
            "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": True},
        },
    ),
    ("DescribeTimeToLive", {"TableName": _TABLE}),
    ("TagResource", {"ResourceArn": _ARN, "Tags": [{"Key": "k", "Value": "v"}]}),
    ("UntagResource", {"ResourceArn": _ARN, "TagKeys": ["k"]}),
    ("ListTagsOfResource", {"ResourceArn": _ARN}),
    ("DescribeLimits", {}),
    ("DescribeEndpoints", {}),
    ("DeleteTable", {"TableName": _TABLE}),
)
_TEXTS = (
    *("", " ", "a", "\x00", "é", "😀", "\ud800", "a" * 256, "x" * 2049, "text" * 30_000),
    *("../../x", "'; DROP TABLE x; --", _TABLE, _ARN, "ALL_NEW", "by-g", "#a", ":n"),
)
_NUMBERS = (
    *("0", "-0", "1e125", "1e126", "-1e-130", "1e-131", "9" * 38, "9" * 39, "1" + "0" * 300),
    *("NaN", "Infinity", "1_0", "0x1", "٣", " 1", "1.", ".5", "+1", "1e", "1e99999999999"),
)
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**53, 2**63, 10**30, 1.5, -0.0, 1e308),
    *([], {}, [None], [[]], {"S": "x"}, {"M": {}}, {"L": []}, {"NS": []}, {"NULL": False}),
    *({"S": "a", "N": "1"}, {"": "x"}, {"B": "not base64"}, {"Q": "unknown"}),
)
_WORDS = (
    *("SET", "REMOVE", "ADD", "DELETE", "AND", "OR", "NOT", "BETWEEN", "IN", "(", ")", ",", "="),
    *("<>", "<", "<=", "+", "-", ".", "[0]", "[99999999999]", "#a", "#b", ":n", ":s", ":p", "pk"),
    *("sk", "size(", "contains(", "begins_with(", "attribute_exists(", "attribute_type(", "m"),
    *("if_not_exists(", "list_append(", "attribute_not_exists(", "l", "ss", "\x00", "é", "--"),
)
# What an error message says about its own request.
_PARTICULAR = re.compile(r"""'[^']*'|"[^"]*"|\[[^]]*]|\{[^}]*}|\d+|(?<=: )\S+""")
_TOKEN = re.compile(r"\w+|\s+|.")


async def attack(arena: Arena) -> None:
    """Send changed requests on a few connections."""
    corpus = Corpus(arena.folder / "corpus.jsonl", arena.random)
    await arena.try_request(request("CreateTable", _CREATE))

    async def fuzz(number: int) -> None:
        link: Link | None = None
        count = 0
        while arena.is_on:
            link = link or await Link.open(arena.port)
            seed = corpus.next()
            reply = await arena.try_request(request(*seed), link)
            if reply is None:
                link = None
                continue
            corpus.learn(seed, reply)
            if reply.headers.get(b"connection", b"").lower() == b"close":
                link.close()  # as after a body that is too large
                link = None
                continue
            count += 1
            if number == 0 and count % _TIDY_REQUESTS == 0:
                await _tidy(link)

    await arena.crowd(_CLIENTS, fuzz)
    corpus.save()


async def _tidy(link: Link) -> None:
    """Delete the tables that the fuzzer has created, and create its first one again."""
    names: list[str] = (await link.ask("ListTables", {})).value()["TableNames"]
    for name in names:
        if name != POLITE_TABLE:
            await link.ask("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})
            await link.ask("DeleteTable", {"TableName": name})
    await link.ask("CreateTable", _CREATE)


class Corpus:
    """The requests from which others are made."""

    def __init__(self, file: Path, random: Random) -> None:
        self._file = file
        self._random = random
        self._seeds: list[Seed] = list(SEEDS)
        self._seen: set[tuple[str, str]] = set()
        self._loaded: list[Seed] = _read(file)
        self._found: list[Seed] = []

    def next(self) -> Seed:
        """Return a request: first those of earlier runs, then changed ones."""
        if self._loaded:
            return self._loaded.pop()
        while True:
            with suppress(RecursionError):  # nested too deeply to be copied or written
                return self._next()

    def _next(self) -> Seed:
        operation, body = self._random.choice(self._seeds)
        if isinstance(body, bytes):
            return operation, changed_bytes(body, self._random)
        fresh = deepcopy(body)
        for _ in range(self._random.choice((1, 1, 2, 3, 8))):
            _, donor = self._random.choice(self._seeds)
            fresh = changed(fresh, {} if isinstance(donor, bytes) else donor, self._random)
        text = _dumped(fresh)
        if self._random.random() < 0.1:
            return operation, changed_bytes(text, self._random)
        if self._random.random() < 0.03:
            operation = self._random.choice(SEEDS)[0]
        return operation, text

    def learn(self, seed: Seed, reply: Reply) -> None:
        """Keep a request whose response is of a new kind."""
        shape = (seed[0], _shape(reply))
        if shape in self._seen or len(self._seeds) >= _MOST_SEEDS:
            return
        operation, body = seed
        if len(body) > _MOST_SEED_BYTES:
            return
        self._seen.add(shape)
        self._found.append((operation, body))
        try:
            self._seeds.append((operation, orjson.loads(body)))
        except ValueError:
            self._seeds.append((operation, body))

    def save(self) -> None:
        """Keep what was learned for the next run."""
        lines = [
            orjson.dumps([operation, base64.b64encode(body).decode()])
            for operation, body in [*self._found, *self._loaded]
        ]
        self._file.write_bytes(b"\n".join(lines))


def _read(file: Path) -> list[Seed]:
    if not file.exists():
        return []
    pairs = [orjson.loads(line) for line in file.read_bytes().splitlines()]
    return [(operation, base64.b64decode(body)) for operation, body in pairs]


def _shape(reply: Reply) -> str:
    """Return a response without what differs from request to request."""
    if reply.status == 200:
        return "200 " + ",".join(sorted(reply.value()))
    try:
        message = str(reply.value().get("message", ""))
    except ValueError:
        message = ""
    return f"{reply.error} {_PARTICULAR.sub('_', message)[:120]}"


def _dumped(body: Any) -> bytes:
    """Return JSON, also of text that is not Unicode and of numbers that are too large."""
    return json.dumps(body).encode()


def _places(body: Any) -> list[Place]:
    """Return every place in a value: its container, and its name or position there."""
    places: list[Place] = []
    left = [body]
    while left:
        container = left.pop()
        if isinstance(container, dict):
            members = cast("dict[str, Any]", container)
            places += [(members, name) for name in members]
            left += members.values()
        elif isinstance(container, list):
            elements = cast("list[Any]", container)
            places += [(elements, at) for at in range(len(elements))]
            left += elements
    return places


def changed(body: Any, donor: Any, random: Random) -> Any:
    """Return a value with one thing in it changed."""
    places = _places(body)
    if not places:
        return deepcopy(random.choice(_ODD))
    container, at = random.choice(places)
    old = container[at]
    if isinstance(old, str) and random.random() < 0.6:
        container[at] = _changed_text(old, random)
        return body
    # One that has grown large does not grow further.
    change = _replace if len(places) > _MOST_PLACES else random.choice(_CHANGES)
    change(container, at, donor, random)
    return body


def _remove(container: Any, at: Any, _donor: Any, _random: Random) -> None:
    del container[at]


def _replace(container: Any, at: Any, _donor: Any, random: Random) -> None:
    container[at] = deepcopy(random.choice(_ODD))


def _transplant(container: Any, at: Any, donor: Any, random: Random) -> None:
    places = _places(donor)
    if places:
        source, place = random.choice(places)
        target = place if isinstance(container, dict) and random.random() < 0.5 else at
        container[target if isinstance(container, dict) else at] = deepcopy(source[place])


def _repeat(container: Any, at: Any, _donor: Any, random: Random) -> None:
    times = random.choice((2, 3, 30, 120))
    if isinstance(container, list):
        elements = cast("list[Any]", container)
        elements.extend(deepcopy(elements[at]) for _ in range(times))
    else:
        for number in range(times):
            container[f"{at}{number}"] = deepcopy(container[at])


def _wrap(container: Any, at: Any, _donor: Any, random: Random) -> None:
    for _ in range(random.choice((1, 2, 33, 150))):
        container[at] = random.choice(({"L": [container[at]]}, {"M": {"a": container[at]}}))


def _rename(container: Any, at: Any, _donor: Any, random: Random) -> None:
    if isinstance(container, dict):
        members = cast("dict[str, Any]", container)
        members[_changed_text(str(at), random)] = members.pop(at)


_CHANGES: tuple[Callable[[Any, Any, Any, Random], None], ...] = (
    *(_remove, _replace, _replace, _transplant, _transplant, _repeat, _wrap, _rename),
)


def _changed_text(text: str, random: Random) -> str:
    kind = random.random()
    if kind < 0.15:
        return random.choice(_TEXTS)
    if kind < 0.25:
        return random.choice(_NUMBERS)
    tokens = _TOKEN.findall(text) or [""]
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(tokens))
        tokens[at : at + random.randrange(2)] = random.choice(
            (
                [],
                [f" {random.choice(_WORDS)} "],
                [tokens[at]] * random.choice((2, 400)),
                tokens[-2:],
            )
        )
        tokens = tokens or [""]
    return "".join(tokens)[:200_000]


def changed_bytes(text: bytes, random: Random) -> bytes:
    """Return bytes of which a few were flipped, removed, inserted or repeated."""
    data = bytearray(text) or bytearray(b"{}")
    for _ in range(random.choice((1, 2, 5))):
        at = random.randrange(len(data) + 1)
        span = random.choice((0, 1, 1, 4, 40))
        insert = random.choice(
            (
                b"",
                random.randbytes(1),
                b'"',
                b"{",
                b"]",
                b"\\u",
                b"\xff",
                bytes(data[at : at + 50]) * 3,
            )
        )
        data[at : at + span] = insert
    return bytes(data)
