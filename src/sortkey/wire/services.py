"""The services of one endpoint: DynamoDB, its streams, and the engine's own administration."""

DYNAMODB = "DynamoDB_20120810"
STREAMS = "DynamoDBStreams_20120810"
ADMINISTRATION = "Sortkey"

STREAM_OPERATIONS = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
ADMINISTRATIVE_OPERATIONS = frozenset(
    {"DescribeMeters", "DescribeWeather", "MoveClock", "SplitPartition"}
)
NOT_OF_DYNAMODB = STREAM_OPERATIONS | ADMINISTRATIVE_OPERATIONS


def service_of(operation: str) -> str:
    """Return the service that has an operation."""
    if operation in STREAM_OPERATIONS:
        return STREAMS
    return ADMINISTRATION if operation in ADMINISTRATIVE_OPERATIONS else DYNAMODB


def target_of(operation: str) -> str:
    """Return an operation as the X-Amz-Target header names it."""
    return f"{service_of(operation)}.{operation}"
