"""Templates, keys and values with characters that came along from a document or an editor."""

from typing import Annotated

from sortkey import Entity, Stored, Table, gsi, raw_pattern


class App(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Count(Entity, table=App):
    user_id: str
    primary = App.primary.key("u#{user_id}", '"count"\t')


class Sub(Entity, table=App):
    user_id: str
    nick: Annotated[str, Stored("nick ")]
    primary = App.primary.key("u#{user_id}", "F#<sub feature> ")


class Copied(Entity, table=App):
    user_id: str
    city: str
    primary = App.primary.key("USER\uff03{user_id}", "\u201cCITY\u201d#{city}")
    by_city = App.gsi1.key("CITY# {city}", "USER#${user_id}")


class Unseen(Entity, table=App):
    user_id: str
    primary = App.primary.key("U\u200bSER:{user_id}", "A\u00a0B\nC")
    by_user = App.gsi1.key("{{user_id}}#{user_id}", "U#%s")


class Plain(Entity, table=App):
    """Nothing is odd here: blanks between words, letters of other scripts, paths."""

    user_id: str
    primary = App.primary.key("LINE ITEM#{user_id}", "GET /gr\u00f6\u00dfe|\u5927\u304d\u3055")


class Old(Table, raw=True):
    pass


class Note(Entity, table=Old):
    user_id: str
    title: str
    primary = Old.primary.key("USER#{user_id}", "NOTE's")


write = raw_pattern(
    "Write a note",
    table=Old,
    operation="PutItem",
    entity=Note,
    item={
        "PK": "USER#<user_id>",
        "SK": "NOTE's",
        "title": 'It\'s "new":\nsee <here> and there',
        "state": "'open'",
        "more": {"kind": "a\tb{user_id}"},
    },
    condition="attribute_not_exists(PK) AND title <> :old",
    values={":old": "<title>"},
    arguments={"user_id": str},
    rate="1/s",
)
