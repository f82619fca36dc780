"""What the weather did to the requests of a test."""

from sortkey.access.async_db import AsyncDB
from sortkey.access.db import DB
from sortkey.access.transports.embedded import AsyncEmbeddedTransport, EmbeddedTransport
from sortkey.engine.weather import WeatherEvent


def weather_events(db: DB | AsyncDB) -> list[WeatherEvent]:
    """Return what the weather did to this database's requests: the latest 10,000 events.

    The list is empty in fair weather, and for a database that is not in this process.
    """
    transport = db._transport
    blocking = transport.blocking if isinstance(transport, AsyncEmbeddedTransport) else transport
    if not isinstance(blocking, EmbeddedTransport) or blocking.engine.weather is None:
        return []
    return list(blocking.engine.weather.timeline)
