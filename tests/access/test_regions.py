import sys
from pathlib import Path

import pytest
from botocore.session import Session

from sortkey.access.endpoint import Endpoint, SettingsError
from sortkey.access.regions import aws_endpoint, aws_region, region_for

HERE = Endpoint.parse("http://127.0.0.1:8000")
THERE = Endpoint.parse("https://dynamodb.example.org")


@pytest.fixture(autouse=True)
def configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Hide this machine's configuration; return the file that would configure a region."""
    for name in ("REGION", "DEFAULT_REGION", "PROFILE", "USE_FIPS_ENDPOINT", "ENDPOINT_URL"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    monkeypatch.delenv("AWS_ENDPOINT_URL_DYNAMODB", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return tmp_path / "config"


def test_the_region_argument_comes_before_the_environment_and_the_profile(
    configuration: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration.write_text("[default]\nregion = eu-west-1\n[profile work]\nregion = eu-west-2\n")
    assert aws_region() == "eu-west-1"
    assert aws_region(profile="work") == "eu-west-2"

    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-3")
    assert aws_region() == "eu-west-3"

    monkeypatch.setenv("AWS_REGION", "eu-north-1")
    assert aws_region() == "eu-north-1"
    assert region_for(HERE) == "eu-north-1"

    assert aws_region("eu-south-1") == region_for(HERE, "eu-south-1") == "eu-south-1"


def test_on_this_machine_a_region_need_not_be_configured() -> None:
    assert region_for(HERE) == "us-east-1"


def test_elsewhere_a_missing_region_is_an_error_that_says_how_to_give_one() -> None:
    for find in (aws_region, lambda: region_for(THERE)):
        with pytest.raises(SettingsError, match="no AWS region was found: pass region="):
            find()


@pytest.mark.parametrize(
    ("region", "url"),
    [
        ("eu-west-1", "https://dynamodb.eu-west-1.amazonaws.com"),
        ("cn-north-1", "https://dynamodb.cn-north-1.amazonaws.com.cn"),
        ("us-gov-west-1", "https://dynamodb.us-gov-west-1.amazonaws.com"),
        ("eu-tomorrow-1", "https://dynamodb.eu-tomorrow-1.amazonaws.com"),
    ],
)
def test_a_region_has_its_endpoint(region: str, url: str) -> None:
    assert str(aws_endpoint(region)) == url


def test_a_fips_endpoint_is_used_if_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_USE_FIPS_ENDPOINT", "true")

    assert str(aws_endpoint("us-east-1")) == "https://dynamodb-fips.us-east-1.amazonaws.com"


def test_a_region_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="AWS has no region 'ireland'"):
        aws_endpoint("ireland")


def test_the_environment_may_name_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
    assert str(aws_endpoint("eu-west-1")) == "http://127.0.0.1:4566"

    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:8000")
    assert str(aws_endpoint("eu-west-1")) == "http://127.0.0.1:8000"


# -- on Lambda, without botocore -------------------------------------------------------------------


@pytest.fixture
def on_lambda(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function on Lambda that configures nothing, in an environment without botocore."""
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "join")
    monkeypatch.delenv("AWS_CONFIG_FILE")
    for name in ("AWS_DEFAULT_PROFILE", "AWS_USE_DUALSTACK_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "botocore.session", None)


def dynamodb_regions(*partitions: str) -> list[str]:
    session = Session()
    return [
        region
        for partition in partitions
        for region in session.get_available_regions("dynamodb", partition)
    ]


@pytest.mark.parametrize("region", dynamodb_regions("aws"))
def test_a_function_on_lambda_has_the_endpoint_that_botocore_knows(
    region: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    known = aws_endpoint(region)
    request.getfixturevalue("on_lambda")
    monkeypatch.setenv("AWS_REGION", region)

    assert aws_endpoint(region) == known


@pytest.mark.usefixtures("on_lambda")
@pytest.mark.parametrize("region", dynamodb_regions("aws-cn", "aws-us-gov"))
def test_in_other_partitions_botocore_is_asked(
    region: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_REGION", region)

    with pytest.raises(SettingsError, match="need botocore"):
        aws_endpoint(region)


@pytest.mark.usefixtures("on_lambda")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("AWS_USE_FIPS_ENDPOINT", "true"),
        ("AWS_USE_DUALSTACK_ENDPOINT", "true"),
        ("AWS_CONFIG_FILE", "/var/task/config"),
        ("AWS_PROFILE", "work"),
        ("AWS_REGION", "eu-west-2"),
    ],
)
def test_a_function_that_configures_something_else_needs_botocore(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    assert str(aws_endpoint("eu-west-1")) == "https://dynamodb.eu-west-1.amazonaws.com"

    monkeypatch.setenv(variable, value)

    with pytest.raises(SettingsError, match="need botocore"):
        aws_endpoint("eu-west-1")
