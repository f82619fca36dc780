"""What cannot run beside each other is refused before anything is started."""

from datetime import timedelta
from types import ModuleType

import pytest

from sortkey import (
    Bucket,
    Entity,
    Function,
    HttpApi,
    OnChange,
    Queue,
    Role,
    Route,
    Settings,
    Table,
)
from sortkey.design.declaring.design import design_of
from sortkey.local.conflicts import refuse_conflicts
from sortkey.local.errors import CannotRun


class Silent(Table):
    pass


class Told(Table, settings=Settings(stream="KEYS_ONLY")):
    pass


class Note(Entity, table=Silent):
    note_id: str
    primary = Silent.primary.key("NOTE#{note_id}", "NOTE")


class Tag(Entity, table=Told):
    tag_id: str
    primary = Told.primary.key("TAG#{tag_id}", "TAG")


app = Role("app", [])
api = HttpApi()


def function(name: str, *triggers: Route | OnChange, **settings: object) -> Function:
    return Function(name, "notes:read", app, triggers=triggers, **settings)  # type: ignore[arg-type]


def refuse(*functions: Function) -> None:
    module = ModuleType("notes")
    vars(module).update({"a": Silent, "b": Told})
    vars(module).update({f"f{number}": one for number, one in enumerate(functions)})
    refuse_conflicts(design_of("notes", [module]))


def test_functions_that_share_declarations_can_run() -> None:
    refuse(
        function("a", Route(api, "GET /"), sends_to=[Queue("q")], reads=[Bucket("b")]),
        function("b", Route(api, "GET /{a}"), OnChange(Told), sends_to=[Queue("q")]),
        function("c", Route(HttpApi("other"), "GET /"), writes=[Bucket("b")]),
    )


@pytest.mark.parametrize(
    ("functions", "said"),
    [
        ((function("a"), function("a", Route(api, "GET /"))), 'two functions are named "a"'),
        (
            (function("a", sends_to=[Queue("q"), Queue("q", invisible=timedelta(minutes=1))]),),
            'two queues are named "q"',
        ),
        (
            (function("a", reads=[Bucket("b")], writes=[Bucket("b", keep_days=1)]),),
            'two buckets are named "b"',
        ),
        (
            (function("a", Route(api, "GET /"), Route(HttpApi(origins=("*",)), "POST /")),),
            'two APIs are named "api"',
        ),
        (
            (function("a", Route(api, "GET /{a}")), function("b", Route(api, "GET /{b}"))),
            "b and a both answer GET /{b}",
        ),
        ((function("a", OnChange(Silent)),), "gets the changes of Silent, which has no stream"),
    ],
)
def test_others_are_refused(functions: tuple[Function, ...], said: str) -> None:
    with pytest.raises(CannotRun) as caught:
        refuse(*functions)

    assert said in str(caught.value)
