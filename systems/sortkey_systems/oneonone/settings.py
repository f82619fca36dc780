"""The settings of One-on-One."""

from sortkey_systems.api.service_settings import ServiceSettings
from sortkey_systems.oneonone.room_settings import RoomSettings


class OneOnOneSettings(RoomSettings, ServiceSettings):
    """The settings of One-on-One over HTTP."""
