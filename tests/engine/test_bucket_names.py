"""The names of buckets in requests: the service's pattern, matched in linear time."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.engine import Engine
from sortkey.engine.definitions.transfers import BUCKET_NAME, QUICK_BUCKET_NAME
from sortkey.wire.errors import ValidationException

TABLE_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/orders"


@given(st.text("aZ0.-_!\n", max_size=8))
def test_the_quick_pattern_is_for_the_same_texts(name: str) -> None:
    assert bool(re.fullmatch(BUCKET_NAME, name)) is bool(re.fullmatch(QUICK_BUCKET_NAME, name))


@pytest.mark.parametrize("end", ["!", "a!", "-"])
def test_a_long_name_is_refused_at_once(end: str) -> None:
    # The service's own pattern would need years for it.
    request = {"TableArn": TABLE_ARN, "S3Bucket": "a" * 1_000_000 + end}

    with Engine.memory() as engine, pytest.raises(ValidationException, match="less than or equal"):
        engine.answer("ExportTableToPointInTime", request)
