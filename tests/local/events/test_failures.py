"""The answer of a function says which parts of a batch failed, as Lambda reads it."""

import json
from typing import Any

import pytest

from sortkey.local.events.failures import BadFailures, failures_in


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (None, []),
        ({}, []),
        ({"batchItemFailures": []}, []),
        ({"batchItemFailures": None}, []),
        ({"statusCode": 200}, []),
        ("done", []),
        ({"batchItemFailures": [{"itemIdentifier": "a"}, {"itemIdentifier": "b"}]}, ["a", "b"]),
    ],
)
def test_failures_are_listed(answer: Any, failed: list[str]) -> None:
    assert failures_in(json.dumps(answer)) == failed


@pytest.mark.parametrize(
    "failures", ["all", [{}], ["a"], [{"itemIdentifier": ""}], [{"itemIdentifier": None}]]
)
def test_what_lambda_does_not_understand_fails_the_batch(failures: Any) -> None:
    with pytest.raises(BadFailures):
        failures_in(json.dumps({"batchItemFailures": failures}))
