"""The systems run wherever the data access does: in memory, awaited, over HTTP and on Local."""

from tests.access.conftest import http_url, local_url, opened, place

__all__ = ["http_url", "local_url", "opened", "place"]
