"""GymCoach in service: ``uvicorn sortkey_systems.gymcoach.asgi:app``."""

from sortkey_systems.api.service import Service
from sortkey_systems.gymcoach import api
from sortkey_systems.gymcoach.design import GymCoach, user
from sortkey_systems.gymcoach.settings import GymCoachSettings

app = Service(api.api, GymCoachSettings, tables=(GymCoach,), probes=lambda: [user("readyz")])
