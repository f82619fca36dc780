"""SK631 unstreamed-change: the stream of a table lacks what a function needs."""

from collections.abc import Iterator, Mapping

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.design.declaring.functions import Event, Function, OnChange
from sortkey.design.tables.settings import StreamView
from sortkey.design.tables.table import Table
from sortkey.wording.prose import listed

# The most readers of one stream that DynamoDB recommends.
_READERS = 2
# The events without any image.
_WITHOUT: Mapping[StreamView, frozenset[Event]] = {
    "NEW_IMAGE": frozenset({"REMOVE"}),
    "OLD_IMAGE": frozenset({"INSERT"}),
    "NEW_AND_OLD_IMAGES": frozenset(),
}


@rule("SK631", "unstreamed-change", ERROR)
def unstreamed_change(model: Model) -> Iterator[Finding]:
    """The stream of a table lacks what a function needs.

    DynamoDB publishes the changes of a table only if it has a stream. The view type of the stream
    decides which images of an item a change has: a handler that compares the record before and
    after a change needs both. An entity of another table never changes in this one, and an event
    that the view type leaves empty has keys only. DynamoDB allows two readers of a stream; more are
    throttled.

    Flagged:
        class Notes(Table):
            pass

        class Note(Entity, table=Notes):
            note_id: str
            primary = Notes.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        index = Function(
            "index",
            handler="notes.functions:index",
            role=Role("indexer", [note]),
            triggers=[OnChange(Notes, entities=[Note])],
        )

    Instead:
        class Notes(Table, settings=Settings(stream="NEW_AND_OLD_IMAGES")):
            pass

        class Note(Entity, table=Notes):
            note_id: str
            primary = Notes.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        index = Function(
            "index",
            handler="notes.functions:index",
            role=Role("indexer", [note]),
            triggers=[OnChange(Notes, entities=[Note])],
        )
    """
    readers: dict[type[Table], list[str]] = {}
    for function in model.design.functions:
        for trigger in (one for one in function.triggers if isinstance(one, OnChange)):
            readers.setdefault(trigger.table, []).append(function.name)
            yield from _of_entities(function, trigger)
            yield from _of_view(function, trigger)
    for table, names in readers.items():
        if len(names) > _READERS:
            yield Finding(
                table,
                f"{len(names)} functions read its stream ({listed(names)}), but more than "
                f"{_READERS} readers are throttled",
                "Let one function pass the changes on",
                severity=WARNING,
            )


def _of_entities(function: Function, trigger: OnChange) -> Iterator[Finding]:
    for entity in trigger.entities:
        if entity.__kind__.table is not trigger.table.definition:
            yield Finding(
                function,
                f"it gets the changes of {entity.__name__} in {trigger.table.__name__}, but these "
                f"records are stored in {entity.__kind__.table}",
                "Name entities of the table, or add an OnChange for the other table",
            )


def _of_view(function: Function, trigger: OnChange) -> Iterator[Finding]:
    table = trigger.table
    view = table.definition.settings.stream
    if view is None:
        yield Finding(
            function,
            f"it gets the changes of {table.__name__}, which has no stream",
            f'Give {table.__name__} `settings=Settings(stream="NEW_AND_OLD_IMAGES")`',
        )
    elif view == "KEYS_ONLY":
        yield Finding(
            function,
            f"it gets the changes of {table.__name__}, whose stream has keys only: a StreamHandler "
            "gets neither the record before nor after a change",
            f'Give {table.__name__} `settings=Settings(stream="NEW_AND_OLD_IMAGES")`, or read the '
            "records in the handler",
            severity=WARNING,
        )
    elif trigger.events and {*trigger.events} <= _WITHOUT[view]:
        yield Finding(
            function,
            f"it gets {listed(trigger.events)} of {table.__name__}, but the stream with {view} has "
            "no record of these",
            f'Give {table.__name__} `settings=Settings(stream="NEW_AND_OLD_IMAGES")`',
            severity=WARNING,
        )
