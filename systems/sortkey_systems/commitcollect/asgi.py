"""CommitCollect in service: ``uvicorn sortkey_systems.commitcollect.asgi:app``."""

from sortkey import utc_now
from sortkey_systems.api.service import Service
from sortkey_systems.commitcollect import api
from sortkey_systems.commitcollect.design import TABLES
from sortkey_systems.commitcollect.design.accounts import profile
from sortkey_systems.commitcollect.design.audit import audit_of_user
from sortkey_systems.commitcollect.design.sessions import session
from sortkey_systems.commitcollect.design.webhook import claim_by_id
from sortkey_systems.commitcollect.settings import CommitCollectSettings

app = Service(
    api.api,
    CommitCollectSettings,
    tables=TABLES,
    probes=lambda: [
        profile("readyz"),
        session("readyz"),
        claim_by_id("readyz"),
        audit_of_user("readyz", utc_now(), utc_now()),
    ],
)
