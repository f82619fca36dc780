"""Where counterexamples are replayed: on the embedded engine over HTTP, and on DynamoDB Local."""

from tests.access.conftest import http_url, local_url

__all__ = ["http_url", "local_url"]
