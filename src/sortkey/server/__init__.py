"""DynamoDB's HTTP protocol in front of the engine, on this machine only."""

from sortkey.server.listening import CannotServe
from sortkey.server.supervisor import ServerSettings, serve

__all__ = ["CannotServe", "ServerSettings", "serve"]
