"""The settings of GymCoach."""

from sortkey_systems.api.service_settings import ServiceSettings


class GymCoachSettings(ServiceSettings):
    """The settings of GymCoach over HTTP; it needs no others."""
