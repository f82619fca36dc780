"""One-on-One in service: ``uvicorn sortkey_systems.oneonone.asgi:app``."""

from sortkey_systems.api.service import Service
from sortkey_systems.oneonone import api
from sortkey_systems.oneonone.design import Sessions, Users, session_by_id, user_status
from sortkey_systems.oneonone.settings import OneOnOneSettings

app = Service(
    api.api,
    OneOnOneSettings,
    tables=(Users, Sessions),
    probes=lambda: [user_status("readyz"), session_by_id("readyz")],
)
