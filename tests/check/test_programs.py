"""Functions of a design: what is found about their declarations, and about their code and role."""

import pytest

from sortkey import DesignError
from sortkey.check.examples import report_of
from sortkey.check.report import CheckReport
from sortkey.design.findings import ERROR, INFORMATION, WARNING, Severity

DESIGN = """
class Notes(Table, settings=Settings(stream={stream})):
    pass

class Note(Entity, table=Notes):
    note_id: str
    primary = Notes.primary.key("NOTE#{{note_id}}", "NOTE")

class Other(Entity, table=App):
    other_id: str
    primary = App.primary.key("OTHER#{{other_id}}", "OTHER")

@pattern("A note", rate="5/s")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)

@pattern("Delete a note", rate="1/min")
def drop(note_id: str) -> Op[Note | None]:
    return Note.delete(note_id=note_id)

reader = Role("reader", [note])
editor = Role("editor", [note, drop])
signed = HttpApi(issuer="https://issuer", audience="notes")
mails, logs, files = Queue("mails"), Queue("logs"), Bucket("files")
daily = Schedule("rate(1 day)")

def function(name, handler="functions:one", role=reader, triggers=[daily], **more):
    return Function(name, handler=handler, role=role, triggers=triggers, **more)

def changes(**more):
    return function("changes", triggers=[OnChange(Notes, **more)])
"""
READ = """
def read(event, context):
    return note(event["note_id"])
"""

FOUND: dict[str, tuple[str, Severity, str]] = {
    "one path in two functions": (
        "SK627",
        ERROR,
        """
one = function("one", triggers=[Route(signed, "GET /a/{x}/b/{y}")])
two = function("two", triggers=[Route(signed, "GET /a/{y}/b/{x}")])
""",
    ),
    "one path twice in a function": (
        "SK627",
        ERROR,
        'one = function("one", triggers=[Route(signed, "GET /a"), Route(signed, "GET /a")])',
    ),
    "a bucket with two lives": (
        "SK628",
        ERROR,
        """
one = function("one", reads=[Bucket("files")])
two = function("two", writes=[Bucket("files", keep_days=3)])
""",
    ),
    "an API with two issuers": (
        "SK628",
        ERROR,
        """
other = HttpApi(issuer="https://other", audience="notes")
one = function("one", triggers=[Route(signed, "GET /a")])
two = function("two", triggers=[Route(other, "GET /b")])
""",
    ),
    "a setting with two defaults, of one function": (
        "SK628",
        ERROR,
        """
one = function(
    "one", environment={"A": Setting("SIZE", "a", default="1"), "B": Setting("SIZE", "a")}
)
""",
    ),
    "a service with two fakes": (
        "SK628",
        ERROR,
        """
one = function("one", calls=[ExternalService("mail", fake="a:b")])
two = function("two", calls=[ExternalService("mail", fake="a:c")])
""",
    ),
    "a closed route without an issuer": (
        "SK629",
        WARNING,
        'one = function("one", triggers=[Route(HttpApi(), "GET /a")])',
    ),
    "changes of a record of another table": (
        "SK631",
        ERROR,
        "one = changes(entities=[Other])",
    ),
    "three readers of a stream": (
        "SK631",
        WARNING,
        """
one, two, three = (function(name, triggers=[OnChange(Notes)]) for name in ("one", "two", "tri"))
""",
    ),
    "messages that nobody receives": (
        "SK632",
        INFORMATION,
        'one = function("one", sends_to=[mails])',
    ),
    "a variable with a dash": (
        "SK633",
        ERROR,
        'one = function("one", environment={"A-B": "1"})',
    ),
    "a variable of sortkey": (
        "SK633",
        ERROR,
        'one = function("one", environment={"ENVIRONMENT": "prod"})',
    ),
    "a variable of a queue": (
        "SK633",
        ERROR,
        'one = function("one", environment={"QUEUE_MAILS": "x"}, sends_to=[mails])',
    ),
    "a variable of a setting of the API": (
        "SK633",
        ERROR,
        """
issuer = Setting("ISSUER", "who signs")
api = HttpApi(issuer=issuer, audience="notes")
one = function("one", triggers=[Route(api, "GET /a")], environment={"ISSUER": "x"})
""",
    ),
    "a function whose name is too long": (
        "SK618",
        WARNING,
        'about = About(name="notes")\none = function("-".join(["long"] * 12))',
    ),
    "a bucket whose name is too long with its account": (
        "SK618",
        WARNING,
        'about = About(name="notes")\none = function("one", reads=[Bucket("b" * 30)])',
    ),
    "a queue of dead letters whose name is too long": (
        "SK618",
        WARNING,
        'about = About(name="notes")\none = function("one", sends_to=[Queue("q" * 60)])',
    ),
    "a handler that is missing": (
        "SK622",
        ERROR,
        'one = function("one", handler="notes:gone")',
    ),
    "a pattern of another role": (
        "SK623",
        ERROR,
        """
def answer(event, context):
    return drop("1")
one = function("one", handler="notes:answer")
""",
    ),
    "a pattern that none of two functions uses": (
        "SK624",
        WARNING,
        READ
        + """
one = function("one", handler="notes:read", role=editor)
two = function("two", handler="notes:read", role=editor)
""",
    ),
    "an operation outside of a pattern": (
        "SK625",
        INFORMATION,
        """
def answer(event, context, db=None):
    return db(Note.get(note_id="1"))
one = function("one", handler="notes:answer")
""",
    ),
}
STREAMS: dict[str, tuple[str, Severity, str]] = {
    "None": ("SK631", ERROR, "one = changes()"),
    '"KEYS_ONLY"': ("SK631", WARNING, "one = changes()"),
    '"NEW_IMAGE"': ("SK631", WARNING, 'one = changes(events=["REMOVE"])'),
    '"OLD_IMAGE"': ("SK631", WARNING, 'one = changes(events=["INSERT"])'),
}
SILENT: dict[str, tuple[str, str]] = {
    "another method, another path, another API": (
        "SK627",
        """
other = HttpApi("other", issuer="https://issuer", audience="notes")
one = function("one", triggers=[Route(signed, "GET /a/{x}"), Route(signed, "GET /a/b")])
two = function("two", triggers=[Route(signed, "PUT /a/{x}"), Route(other, "GET /a/{x}")])
""",
    ),
    "two equal declarations": (
        "SK628",
        """
one = function("one", sends_to=[Queue("mails")], reads=[Bucket("mails")])
two = function("two", triggers=[OnMessage(Queue("mails"))])
""",
    ),
    "an open route, with an issuer and without": (
        "SK629",
        """
one = function("one", triggers=[Route(signed, "POST /hook", open=True)])
two = function("two", triggers=[Route(HttpApi("hooks"), "POST /hook", open=True)])
""",
    ),
    "a function whose role acts for a subject": (
        "SK612",
        'one = function("one", role=Role("own", [note], acts_for="note_id"))',
    ),
    "changes with both images": (
        "SK631",
        'one = changes(entities=[Note], events=["REMOVE"])',
    ),
    "two readers of a stream": (
        "SK631",
        'one, two = (function(n, triggers=[OnChange(Notes)]) for n in ("one", "two"))',
    ),
    "a queue with a sender and a receiver": (
        "SK632",
        """
one = function("one", sends_to=[mails])
two = function("two", triggers=[OnMessage(mails)])
""",
    ),
    "variables of settings, queues and buckets": (
        "SK633",
        """
size = Setting("SIZE", "a size")
one = function("one", environment={"SIZE": size, "PAGE": size}, sends_to=[mails], reads=[files])
""",
    ),
    "names of the usual length": (
        "SK618",
        'about = About(name="notes")\none = function("one", sends_to=[mails], reads=[files])',
    ),
    "a pattern that one of two functions uses": (
        "SK624",
        READ
        + """
def answer(event, context):
    return drop("1")
one = function("one", handler="notes:read", role=editor)
two = function("two", handler="notes:answer", role=editor)
""",
    ),
    "a role with other users": (
        "SK624",
        READ
        + """
other = Role("other", [note, drop], attached_to="operators")
own = Role("own", [note, drop], acts_for="note_id")
one = function("one", handler="notes:read", role=other)
two = function("two", handler="notes:read", role=own)
""",
    ),
    "a role of code that cannot be judged": (
        "SK624",
        """
def answer(event, context):
    return getattr(note, event)
one = function("one", handler="notes:answer", role=editor)
""",
    ),
    "a role of a handler that is missing": (
        "SK624",
        'one = function("one", handler="notes:gone", role=editor)',
    ),
    "a method that a library may call, and whose pattern the role has": (
        "SK625",
        """
import sched
class Task:
    def run(self): return note("1")
    def other(self): return drop("1")
def answer(event, context):
    task = Task()
    sched.scheduler().enter(1, 1, task)
    return task.run()
one = function("one", handler="notes:answer", role=editor)
""",
    ),
}


def checked(code: str, stream: str = '"NEW_AND_OLD_IMAGES"') -> CheckReport:
    return report_of(DESIGN.format(stream=stream) + code)


@pytest.mark.parametrize("case", FOUND)
def test_a_rule_finds(case: str) -> None:
    code, severity, design = FOUND[case]

    found = [one for one in checked(design).open if one.code == code]

    assert [one.severity for one in found] == [severity]


@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_lacks_what_a_function_needs(stream: str) -> None:
    code, severity, design = STREAMS[stream]

    found = [one for one in checked(design, stream).open if one.code == code]

    assert [one.severity for one in found] == [severity]


@pytest.mark.parametrize("case", SILENT)
def test_a_rule_is_silent_on(case: str) -> None:
    code, design = SILENT[case]

    assert code not in {found.code for found in checked(design).open}


def test_a_missing_permission_names_the_function_the_role_and_the_way() -> None:
    report = checked(
        """
def remove(note_id):
    return drop(note_id)
def answer(event, context):
    return remove("1")
one = function("one", handler="notes:answer")
"""
    )
    [found] = [one for one in report.open if one.code == "SK623"]

    assert str(found) == (
        'SK623 missing-permission at Function "one": it can use drop, which its role "reader" '
        "lacks: notes.answer → notes.remove → drop. Give `drop` to the role, or remove the call."
    )


def test_two_functions_that_lack_a_pattern_are_one_finding() -> None:
    report = checked(
        """
def answer(event, context):
    return drop("1")
one = function("one", handler="notes:answer")
two = function("two", handler="notes:answer")
"""
    )
    [group] = [one for one in report.findings if one.first.code == "SK623"]

    assert [one.where for one in group.places] == ['Function "one"', 'Function "two"']


@pytest.mark.parametrize("rule", ["SK623", "missing-permission"])
def test_a_function_acknowledges_for_itself_alone(rule: str) -> None:
    report = checked(
        f"""
def answer(event, context):
    return drop("1")
one = function("one", handler="notes:answer", ignore={{"{rule}": "only on Sundays"}})
two = function("two", handler="notes:answer")
"""
    )

    assert [one.where for one in report.open if one.code == "SK623"] == ['Function "two"']
    assert [one.reason for one in report.acknowledged] == ["only on Sundays"]
    assert "SK604" not in {one.code for one in report.open}


def test_a_function_acknowledges_what_its_role_does_not_need() -> None:
    report = checked(
        READ
        + """
kept = {"SK624": "an operator deletes with it"}
one = function("one", handler="notes:read", role=editor, ignore=kept)
two = function("two", handler="notes:read", role=editor)
"""
    )

    assert not {"SK604", "SK624"} & {one.code for one in report.open}
    assert [one.where for one in report.acknowledged] == ['Role "editor"']


def test_an_idle_acknowledgement_is_found_only_if_handlers_are_walked() -> None:
    idle = 'ignore={"SK623": "it was so"}'
    plain = checked(f'one = function("one", {idle})')
    walked = checked(READ + f'one = function("one", handler="notes:read", {idle})')

    assert "SK604" not in {one.code for one in plain.open}
    assert [one.where for one in walked.open if one.code == "SK604"] == ['Function "one"']


def test_an_acknowledgement_needs_a_reason() -> None:
    with pytest.raises(DesignError, match="SK603"):
        checked('one = function("one", ignore={"SK623": ""})')


def test_without_the_walk_the_code_of_functions_is_not_judged() -> None:
    report = checked('one = function("one")')
    [group] = [one for one in report.not_judged if one.first.code == "SK625"]

    assert group.missing is not None
    assert group.missing.what == "--programs"
    assert [one.where for one in group.places] == ['Function "one"']


def test_the_report_has_the_walked_functions() -> None:
    report = checked(READ + 'one = function("one", handler="notes:read")')

    assert [(one.function.name, len(one.uses)) for one in report.programs] == [("one", 1)]
