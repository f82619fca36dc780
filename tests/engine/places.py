"""The engine and Amazon's DynamoDB Local, called in the same way, for comparisons."""

import json
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from sortkey.engine import Engine
from sortkey.wire.errors import ServiceError

Call = Callable[[str, dict[str, Any]], dict[str, Any]]

_CREDENTIAL = (
    "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=none"
)
_OF_STREAMS = frozenset({"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"})


def asked_of_engine(engine: Engine) -> Call:
    """Return a call that gives the engine's response, or the body of its error."""

    def call(operation: str, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return engine.answer(operation, json.loads(json.dumps(body)))
        except ServiceError as error:
            return error.body()

    return call


def asked_of_local(url: str) -> Call:
    """Return a call that gives DynamoDB Local's response, or the body of its error."""
    opener = build_opener(ProxyHandler({}))

    def call(operation: str, body: dict[str, Any]) -> dict[str, Any]:
        service = "DynamoDBStreams" if operation in _OF_STREAMS else "DynamoDB"
        headers = {
            "X-Amz-Target": f"{service}_20120810.{operation}",
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": _CREDENTIAL,
        }
        try:
            with opener.open(Request(url, json.dumps(body).encode(), headers)) as response:
                return json.load(response)
        except HTTPError as error:
            with error:
                return json.load(error)

    return call
