"""The Inavor Shuttle in service: ``uvicorn sortkey_systems.shuttle.asgi:app``."""

from sortkey_systems.api.service import Service
from sortkey_systems.shuttle import api
from sortkey_systems.shuttle.design import TABLES
from sortkey_systems.shuttle.design.shops import shop_by_domain
from sortkey_systems.shuttle.settings import ShuttleSettings

app = Service(
    api.api,
    ShuttleSettings,
    tables=TABLES,
    probes=lambda: [shop_by_domain("readyz.myshopify.com")],
)
