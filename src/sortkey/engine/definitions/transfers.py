"""The structures that the requests of imports and of bulk operations share."""

from typing import Annotated, NotRequired, TypedDict

from sortkey.engine.shapes import Length, Matches, NumberRange, OneOf

ClientToken = Annotated[str, Matches(r"[^\$]+")]
HEX_GROUPS = "([0-9a-f]{16})+"
TransferArn = Annotated[str, Length(37, 1024)]
PageSize = Annotated[int, NumberRange(1, 25)]
BucketOwner = Annotated[str, Matches("[0-9]{12}")]
# The service's own pattern takes cubic time for a long text that does not match it.
BUCKET_NAME = r"[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+"
QUICK_BUCKET_NAME = r"[a-z0-9A-Z][\.\-\w]*[a-z0-9A-Z]"
BucketName = Annotated[str, Length(0, 255), Matches(BUCKET_NAME, QUICK_BUCKET_NAME)]
KeyPrefix = Annotated[str, Length(0, 1024)]
CompressionType = Annotated[str, OneOf(("GZIP", "ZSTD", "NONE"))]


class S3BucketSource(TypedDict):
    """The objects of an import."""

    S3BucketOwner: NotRequired[BucketOwner]
    S3Bucket: BucketName
    S3KeyPrefix: NotRequired[KeyPrefix]
