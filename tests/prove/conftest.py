"""Endpoints to replay counterexamples: the embedded engine over HTTP, and DynamoDB Local."""

from tests.access.conftest import http_url, local_url

__all__ = ["http_url", "local_url"]
