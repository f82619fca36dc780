"""The settings of One-on-One."""

from sortkey_systems.api.service_settings import ServiceSettings


class OneOnOneSettings(ServiceSettings):
    """The settings of One-on-One over HTTP.

    Those of its video service belong here too.
    """
