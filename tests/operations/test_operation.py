"""The repr of an operation is one short line: its kind and its records."""

from typing import Annotated, Any

import pytest
from tests.operations.design import Note, Task, User

from sortkey import Entity, Table, secret
from sortkey.operations.operation import Operation
from sortkey.operations.transact import Transaction


class Safe(Table):
    pass


class Login(Entity, table=Safe):
    login_id: str
    token: Annotated[str, secret]
    primary = Safe.primary.key("LOGIN#{login_id}", "LOGIN")


TASK = Task(project="p", task_id=7, title="a title")


@pytest.mark.parametrize(
    ("operation", "shown"),
    [
        (Note.get(note_id="n"), '<Get Note "NOTE#n / NOTE">'),
        (Note.get(note_id="n").required(), '<Required Note "NOTE#n / NOTE">'),
        (Task.query(project="p"), '<Query Task "PROJECT#p / TASK#*">'),
        (
            Task.query(project="p").ge(task_id=7),
            '<Query Task "PROJECT#p / TASK#000007 to TASK#*">',
        ),
        (Task.query(Task.by_state, state="open"), '<Query Task gsi1 "STATE#open">'),
        (
            Task.query(Task.by_state, state="open").page(5),
            '<PageOf Task gsi1 "STATE#open">',
        ),
        (Task.scan(), "<Scan Task>"),
        (TASK.put(), '<Put Task "PROJECT#p / TASK#000007">'),
        (TASK.delete(), '<Delete Task "PROJECT#p / TASK#000007">'),
        (
            TASK.update().set(lambda t: t.title).to("another"),
            '<Update Task "PROJECT#p / TASK#000007">',
        ),
        (User(user_id="u", email="a@x").create(), '<Put User "USER#u / USER" and 1 more>'),
    ],
)
def test_it_is_shown_with_its_records(operation: Operation[Any], shown: str) -> None:
    assert repr(operation) == shown


def test_several_are_shown_by_the_first_of_them() -> None:
    both = Transaction((Note(note_id="a", text="x").create(), TASK.put()))

    assert repr(both) == '<Transaction Note "NOTE#a / NOTE" and 1 more>'


def test_a_long_key_is_cut() -> None:
    assert repr(Note.get(note_id="n" * 500)) == f'<Get Note "NOTE#{"n" * 55}…">'


@pytest.mark.parametrize(
    "operation",
    [
        Login(login_id="l", token="hush").create(),
        Login.update(login_id="l").set(lambda r: r.token).to("hush"),
    ],
)
def test_no_secret_is_shown(operation: Operation[Any]) -> None:
    assert "hush" not in repr(operation)
    assert '"LOGIN#l / LOGIN"' in repr(operation)


def test_an_operation_that_cannot_be_planned_is_shown_all_the_same() -> None:
    class Broken(Operation[None]):
        def _steps(self, context: Any = None) -> Any:
            raise NotImplementedError

        def _plan(self) -> Any:
            raise ValueError

    assert repr(Broken()) == "<Broken>"


def every(operation: type[Any] = Operation) -> list[type[Any]]:
    return [kind for sub in operation.__subclasses__() for kind in (sub, *every(sub))]


@pytest.mark.parametrize("kind", every(), ids=lambda kind: kind.__name__)
def test_no_operation_is_shown_with_all_of_its_fields(kind: type[Any]) -> None:
    assert vars(kind)["__repr__"] is vars(Operation)["__repr__"]
