"""Tests of the pytest plugin run their own test suites."""

from tests.access.conftest import http_url, local_url

__all__ = ["http_url", "local_url"]

pytest_plugins = ["pytester"]
