"""Exact codecs between Pydantic models and DynamoDB JSON, compiled once for each model."""

from sortkey.design.records.codecs.codec import Codec
from sortkey.design.records.codecs.compiler import codec_for, record_codec
from sortkey.design.records.codecs.records import (
    Absence,
    FieldCodec,
    RecordCodec,
    Stored,
    absent_value,
)
from sortkey.design.records.codecs.texts import accepts_number
from sortkey.design.records.codecs.times import Epoch, EpochSeconds, Seconds, WholeSeconds, later_by
from sortkey.design.records.codecs.unstorable import Unstorable

__all__ = [
    "Absence",
    "Codec",
    "Epoch",
    "EpochSeconds",
    "FieldCodec",
    "RecordCodec",
    "Seconds",
    "Stored",
    "Unstorable",
    "WholeSeconds",
    "absent_value",
    "accepts_number",
    "codec_for",
    "later_by",
    "record_codec",
]
