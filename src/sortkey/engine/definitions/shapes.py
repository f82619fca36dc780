"""The structures that describe a table in the requests that make or change one."""

from typing import Annotated, NotRequired, TypedDict

from sortkey.engine.shapes import Length, NumberRange, OneOf, ResourceName
from sortkey.wire.limits import INDEX_KEY_ATTRIBUTES

NewTableName = ResourceName
IndexName = ResourceName
KeyAttributeName = Annotated[str, Length(1, 255)]
BillingMode = Annotated[str, OneOf(("PROVISIONED", "PAY_PER_REQUEST"))]
TableClass = Annotated[str, OneOf(("STANDARD", "STANDARD_INFREQUENT_ACCESS"))]


class AttributeDefinition(TypedDict):
    """The type of a key attribute."""

    AttributeName: KeyAttributeName
    AttributeType: Annotated[str, OneOf(("B", "N", "S"))]


class KeySchemaElement(TypedDict):
    """An attribute's part in a key."""

    AttributeName: KeyAttributeName
    KeyType: Annotated[str, OneOf(("HASH", "RANGE"))]


TableKeySchema = Annotated[list[KeySchemaElement], Length(1, 2)]
IndexKeySchema = Annotated[list[KeySchemaElement], Length(1, 2 * INDEX_KEY_ATTRIBUTES)]


class ProvisionedThroughput(TypedDict):
    """Provisioned capacity."""

    WriteCapacityUnits: Annotated[int, NumberRange(1)]
    ReadCapacityUnits: Annotated[int, NumberRange(1)]


class OnDemandThroughput(TypedDict):
    """The on-demand limits of a table or index; -1 removes a limit."""

    MaxReadRequestUnits: NotRequired[int]
    MaxWriteRequestUnits: NotRequired[int]


class WarmThroughput(TypedDict):
    """The throughput that a table or index can serve at once."""

    ReadUnitsPerSecond: NotRequired[Annotated[int, NumberRange(1)]]
    WriteUnitsPerSecond: NotRequired[Annotated[int, NumberRange(1)]]


class Projection(TypedDict):
    """The attributes that an index projects."""

    ProjectionType: NotRequired[Annotated[str, OneOf(("ALL", "INCLUDE", "KEYS_ONLY"))]]
    NonKeyAttributes: NotRequired[Annotated[list[Annotated[str, Length(1, 255)]], Length(1, 20)]]


class LocalSecondaryIndex(TypedDict):
    """An index within the partitions of its table."""

    IndexName: IndexName
    KeySchema: TableKeySchema
    Projection: Projection


class GlobalSecondaryIndex(TypedDict):
    """An index with partitions of its own."""

    IndexName: IndexName
    KeySchema: IndexKeySchema
    Projection: Projection
    ProvisionedThroughput: NotRequired[ProvisionedThroughput]
    OnDemandThroughput: NotRequired[OnDemandThroughput]
    WarmThroughput: NotRequired[WarmThroughput]


class StreamSpecification(TypedDict):
    """The stream of a table, and the form of its records."""

    StreamEnabled: bool
    StreamViewType: NotRequired[
        Annotated[str, OneOf(("NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"))]
    ]


class SSESpecification(TypedDict):
    """The key with which the table is encrypted."""

    Enabled: NotRequired[bool]
    SSEType: NotRequired[Annotated[str, OneOf(("AES256", "KMS"))]]
    KMSMasterKeyId: NotRequired[str]


class Tag(TypedDict):
    """A label of a resource."""

    Key: Annotated[str, Length(1, 128)]
    Value: Annotated[str, Length(0, 256)]
