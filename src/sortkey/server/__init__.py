"""DynamoDB's HTTP protocol in front of the engine, on this machine only."""

from sortkey.server.supervisor import CannotServe, ServerSettings, serve

__all__ = ["CannotServe", "ServerSettings", "serve"]
