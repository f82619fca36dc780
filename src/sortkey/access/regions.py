"""The AWS region, and DynamoDB's endpoint in it."""

import os
import re
from typing import Any

from sortkey.access.credentials import aws_session, is_on_lambda
from sortkey.access.endpoint import Endpoint, SettingsError

# Emulators accept any region; other clients use this one by default too.
_LOCAL_REGION = "us-east-1"

# As in botocore's table of endpoints; other partitions have other domains.
_COMMERCIAL = re.compile(r"(us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d+")
_SPECIAL_ENDPOINTS = ("AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT")


def region_for(endpoint: Endpoint, region: str | None = None) -> str:
    """Return the region that requests to an endpoint are signed for."""
    if endpoint.is_loopback:
        return region or _region_in_environment() or _LOCAL_REGION
    return aws_region(region)


def aws_region(region: str | None = None, *, profile: str | None = None) -> str:
    """Return the region, or that of the environment, or that of the profile."""
    found = region or _region_in_environment()
    found = found or aws_session(profile).get_config_variable("region")
    if not found:
        raise SettingsError(
            "no AWS region was found: pass region=, or set AWS_REGION, or run `aws configure`"
        )
    return found


def aws_endpoint(region: str, *, profile: str | None = None) -> Endpoint:
    """Return DynamoDB's endpoint in a region, unless the environment names another.

    This uses botocore's own table, which has the partitions (China, GovCloud and others) and the
    endpoints for FIPS and dual stack. A function on Lambda in a commercial region does without, and
    so without importing botocore.
    """
    named = os.environ.get("AWS_ENDPOINT_URL_DYNAMODB") or os.environ.get("AWS_ENDPOINT_URL")
    if named:
        return Endpoint.parse(named)
    if _is_plain(region, profile):
        return Endpoint.parse(f"https://dynamodb.{region}.amazonaws.com")
    session = aws_session(profile)
    from botocore.regions import EndpointResolver  # noqa: PLC0415 - the session found botocore

    table: Any = session.get_component("data_loader").load_data("endpoints")
    known: Any = EndpointResolver(table).construct_endpoint(
        "dynamodb",
        region,
        use_fips_endpoint=bool(session.get_config_variable("use_fips_endpoint")),
        use_dualstack_endpoint=bool(session.get_config_variable("use_dualstack_endpoint")),
    )
    if known is None:
        raise SettingsError(f"AWS has no region {region!r}: check its spelling, as in eu-west-1")
    scheme = "https" if "https" in known["protocols"] else "http"
    return Endpoint.parse(f"{scheme}://{known['hostname']}")


def _is_plain(region: str, profile: str | None) -> bool:
    """Return whether this is the commercial region of a Lambda function, with plain endpoints."""
    special = any(os.environ.get(name) for name in _SPECIAL_ENDPOINTS)
    is_own = region == os.environ.get("AWS_REGION")
    return is_on_lambda(profile) and is_own and not special and bool(_COMMERCIAL.fullmatch(region))


def _region_in_environment() -> str | None:
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
