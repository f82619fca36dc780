"""The systems run on every database of the data access: memory, `AsyncDB`, HTTP and Local."""

from tests.access.conftest import http_url, local_url, opened, place

__all__ = ["http_url", "local_url", "opened", "place"]
