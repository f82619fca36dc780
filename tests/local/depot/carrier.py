"""A fake of the carrier, which only has an address and a key."""

from collections.abc import Generator
from contextlib import contextmanager

from sortkey.testing import FakeRun


@contextmanager
def fake(run: FakeRun) -> Generator[dict[str, str]]:
    (run.folder / "hooks").write_text(f"{run.api_urls['api']}/hooks/carrier at {run.clock():.0f}")
    yield {"CARRIER_URL": "http://127.0.0.1:1/", "CARRIER_KEY": "the key"}
