from tests.access.conftest import local_url

__all__ = ["local_url"]
