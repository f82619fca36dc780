"""What the walk cannot judge is said, with its line; what it can judge is not."""

from pathlib import Path

import pytest
from tests.programs.application import names, program

IMPORTS = "from design import App, Note, add, browse, drop, read\n"

UNJUDGED: dict[str, tuple[str, list[str]]] = {
    "an attribute by a computed name": (
        """
        class Notes:
            def find(self): return read("1")
        def go(notes, name): return getattr(notes, name)()
        def handler(event, context): return go(Notes(), event["name"])
        """,
        ["reads an attribute by a computed name"],
    ),
    "getattr under another name": (
        """
        look = getattr
        def handler(event, context): return look(event, "find")(), list(map(getattr, event))
        """,
        ["reads an attribute by a computed name"],
    ),
    "an attribute of a module by a computed name": (
        """
        import design
        def handler(event, context): return getattr(design, f"{event}")
        """,
        ["reads an attribute by a computed name"],
    ),
    "attributes as a dictionary": (
        """
        class Notes: pass
        def handler(event, context): return Notes().__dict__[event], vars(Notes)[event]
        """,
        ["reads an attribute by a computed name", "reads attributes by computed names"],
    ),
    "variables by computed names": (
        "def handler(event, context): return globals()[event]()",
        ["reads variables by computed names"],
    ),
    "a text as code": (
        "def handler(event, context): return eval(event), exec(event)",
        ["runs text as code"],
    ),
    "an import by a computed name": (
        """
        from importlib import import_module
        def handler(event, context): return import_module(event).run(), __import__(event)
        """,
        ["imports a module by a computed name"],
    ),
    "modules by computed names": (
        """
        import sys
        def run(db): return db(Note.get(note_id="1"))
        def handler(event, context): return sys.modules[event].run()
        """,
        ["reads modules by computed names"],
    ),
    "an import that fails": (
        """
        def handler(event, context):
            import nowhere.at_all
            return nowhere.at_all.read()
        """,
        ["imports nowhere, which is not installed here"],
    ),
    "what other packages name": (
        """
        from importlib.metadata import entry_points
        def handler(event, context): return [one.load()() for one in entry_points()]
        """,
        ["loads what other packages name"],
    ),
    "a read outside of a pattern": (
        """
        def handler(event, context, db=None): return db(Note.get(note_id="1"))
        """,
        ["runs Note.get outside of a pattern"],
    ),
    "a write of a new record outside of a pattern": (
        """
        def handler(event, context, db=None): return db(Note(note_id="1", owner="2").create())
        """,
        ["runs Note.create outside of a pattern"],
    ),
    "a write that a method of the record passes on": (
        """
        from sortkey import Entity
        class Memo(Entity, table=App):
            memo_id: str
            primary = App.primary.key("MEMO#{memo_id}", "MEMO")
            def replace(self, before=None): return super().replace(before)
        def handler(event, context, db=None): return db(Memo(memo_id="1").replace())
        """,
        ["runs Entity.replace outside of a pattern"],
    ),
    "a write of a record in a variable": (
        """
        def save(db, note: Note): return db(note.update().set(owner="2"))
        def handler(event, context, db=None): return save(db, None)
        """,
        ["runs Note.update outside of a pattern"],
    ),
    "a write of a record that was read": (
        """
        from sortkey import DB
        def handler(event, context): return work(DB.memory(App))
        def work(db: DB):
            found = db(read("1"))
            return db(found.delete())
        """,
        ["runs Note.delete outside of a pattern"],
    ),
    "a write of something that may be a record": (
        "def handler(event, context, db=None): return [db(one.delete()) for one in event]",
        ["may run an operation outside of a pattern, delete()"],
    ),
    "an operation that was made on import": (
        """
        FIRST = Note.get(note_id="1")
        def handler(event, context, db=None): return db(FIRST)
        """,
        ["runs a Get that was made when its module was imported"],
    ),
    "a batch": (
        """
        from sortkey import get_many
        def handler(event, context, db=None):
            return db.get_many([read(one) for one in event]), get_many([])
        """,
        ["calls get_many, whose batches no pattern declares"],
    ),
    "a client of DynamoDB": (
        """
        def connect(session): return session.client("dynamodb")
        def handler(event, context): return connect(event), event.client("s3")
        """,
        ["sends requests to DynamoDB without sortkey"],
    ),
    "a client of DynamoDB by keyword": (
        """
        def handler(event, context): return event.resource(service_name="dynamodb")
        """,
        ["sends requests to DynamoDB without sortkey"],
    ),
    "a method that a library may call": (
        """
        import sched
        class Task:
            def work(self): return read("1")
            def other(self): return drop("1")
        def handler(event, context):
            task = Task()
            sched.scheduler().enter(1, 1, task)
            return task.work()
        """,
        ["gives an object to a library, which may call Task.other"],
    ),
    "code without source": (
        """
        made = {}
        exec("def go(one, name): return getattr(one, name)()", {"__name__": "app"}, made)
        go = made["go"]
        def handler(event, context): return go(event, "find")
        """,
        ["calls getattr, and its source is missing"],
    ),
}
WITHOUT_SOURCE = """
exec(compile('''
def handler(event, context, db=None):
    return db(read("1")), db(Note.get(note_id="1"))
''', "gone.py", "exec"), globals())
"""
JUDGED = {
    "an attribute of a known name": (
        "def handler(event, context): return getattr(event, 'find', None), hasattr(event, context)"
    ),
    "an attribute of a library": """
        import os
        def handler(event, context): return getattr(os, event)
        """,
    "a method of the application's with the name of an operation": """
        class Files:
            def delete(self): return drop("1")
        def handler(event, context): return [one.delete() for one in [Files()]]
        """,
    "updates of other objects": """
        import hashlib
        def handler(event, context):
            found = {}
            found.update(event)
            hashlib.sha256().update(b"")
            event.update(found)
        """,
    "a transaction of patterns": """
        def handler(event, context, db=None): return db.transact(add(event), drop("1"))
        """,
    "a record that is only read": """
        def handler(event, context, db=None):
            note = db(read("1"))
            return Note(note_id="1", owner=note.owner).model_dump()
        """,
    "whether a module is there": """
        import sys
        def handler(event, context): return "pytest" in sys.modules
        """,
    "another client": """
        def handler(event, context): return event.client("s3"), event.client(context)
        """,
}


@pytest.mark.parametrize("case", UNJUDGED)
def test_what_cannot_be_judged_is_said(case: str, tmp_path: Path) -> None:
    code, expected = UNJUDGED[case]

    found = program(tmp_path, code, imports=IMPORTS)

    assert found.fault is None
    assert list(dict.fromkeys(one.what for one in found.unjudged)) == expected
    assert not found.is_complete


@pytest.mark.parametrize("case", JUDGED)
def test_what_can_be_judged_is_not_mentioned(case: str, tmp_path: Path) -> None:
    found = program(tmp_path, JUDGED[case], imports=IMPORTS)

    assert found.unjudged == ()
    assert found.is_complete


def test_the_line_is_that_of_the_call(tmp_path: Path) -> None:
    found = program(tmp_path, "def handler(event, context):\n    go = 1\n    return eval(event)")

    (one,) = found.unjudged
    assert one.where == "app.handler"
    assert one.place is not None
    assert (Path(one.place.file).name, one.place.line) == ("app.py", 3)


def test_code_whose_source_is_gone_is_not_judged_as_a_whole(tmp_path: Path) -> None:
    found = program(tmp_path, WITHOUT_SOURCE, imports=IMPORTS)

    assert names(found) == {"read"}
    assert [one.what for one in found.unjudged] == [
        "runs Note.get outside of a pattern",
        "has no source here that shows its operations",
    ]


def test_a_method_that_a_library_may_call_is_not_counted(tmp_path: Path) -> None:
    code, _ = UNJUDGED["a method that a library may call"]

    found = program(tmp_path, code, imports=IMPORTS)

    assert names(found) == {"read"}
    assert [one.use and one.use.pattern.name for one in found.unjudged] == ["drop"]
