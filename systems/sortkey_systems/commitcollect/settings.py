"""The settings of CommitCollect."""

from sortkey_systems.api.service_settings import SecretFieldSettings


class CommitCollectSettings(SecretFieldSettings):
    """The settings of CommitCollect over HTTP: its connections to Strava have secret fields."""
