"""A small application with a handler for each kind of event, which tests package."""

from collections.abc import Mapping

DESIGN = """
from sortkey import (
    Entity, Function, HttpApi, OnChange, OnMessage, Op, Queue, Role, Route, Schedule, Settings,
    Table, pattern,
)


class App(Table, settings=Settings(stream="NEW_AND_OLD_IMAGES")):
    pass


class Note(Entity, table=App):
    note_id: str
    text: str = ""
    primary = App.primary.key("NOTE#{note_id}", "NOTE")


@pattern("A note")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)


@pattern("Write a note")
def write(note: Note) -> Op[Note]:
    return note.put()


api = HttpApi()
inbox = Queue("inbox")
reader = Role("reader", [note])
writer = Role("writer", [write], follows=[App])
functions = [
    Function("read", "notes.handlers:read", reader, [Route(api, "GET /notes/{note_id}")]),
    Function("remind", "notes.handlers:remind", writer, [Schedule("rate(1 minute)")]),
    Function("copy", "notes.changes:handler", writer, [OnChange(App)]),
    Function("receive", "notes.handlers:receive", writer, [OnMessage(inbox)]),
]
read, remind, copy, receive = functions
"""
HANDLERS = """
import json
import os

from sortkey import lambda_handler
from notes.design import App, Note

_LEVEL = os.environ["ENVIRONMENT"]
on_lambda = lambda_handler(App)


@on_lambda
def read(event, context, db):
    from notes.rendering import page  # not before it is needed

    found = db(Note.get(note_id=event["pathParameters"]["note_id"]))
    return {"statusCode": 200 if found else 404, "body": page(found.text if found else "")}


@on_lambda
def remind(event, context, db):
    db(Note(note_id="reminder", text=event["time"]).put())
    return {"done": 1}


@on_lambda
def receive(event, context, db):
    for record in event["Records"]:
        db(Note(**json.loads(record["body"])).put())
    return {"batchItemFailures": []}
"""
CHANGES = """
from sortkey import StreamHandler
from notes.design import App, Note

handler = StreamHandler(App)


@handler.on(Note)
def copied(change):
    if change.new is not None and change.new.text == "bad":
        raise ValueError("bad note")
"""
RENDERING = """
from pathlib import Path


def page(text):
    return Path(__file__).with_name("page.html").read_text().replace("TEXT", text)
"""
FILES: Mapping[str, str] = {
    "notes/__init__.py": "",
    "notes/design.py": DESIGN,
    "notes/handlers.py": HANDLERS,
    "notes/changes.py": CHANGES,
    "notes/rendering.py": RENDERING,
    "notes/page.html": "<p>TEXT</p>",
    "notes/admin/__init__.py": "import uvicorn",
    "notes/test_notes.py": "import pytest",
    "pyproject.toml": "[project]\nname = 'notes'\n",
}
