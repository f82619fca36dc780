"""Clients of AWS for queues, buckets and secrets, each created once for each process.

botocore is part of Lambda's Python, so that nothing has to be packaged. It is imported only when a
client is created.
"""

from functools import cache
from typing import Any

from sortkey.access.credentials import aws_session
from sortkey.access.endpoint import SettingsError
from sortkey.access.regions import aws_region


@cache
def client_of(service: str) -> Any:
    """Return the client of a service of AWS; its requests are repeated as AWS recommends."""
    try:
        from botocore.config import Config  # noqa: PLC0415 - the extra "aws"
    except ImportError as error:
        raise SettingsError(
            f"the service {service} of AWS needs botocore: pip install 'sortkey[aws]'"
        ) from error
    standard = Config(retries={"mode": "standard"})
    return aws_session(None).create_client(service, region_name=aws_region(None), config=standard)
