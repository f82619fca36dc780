"""A change of a unique value deletes the lock of the old value, and no record."""

from typing import Annotated

from sortkey import Entity, Op, Table, Version, pattern, unique


class Desk(Table):
    """Users and their notes."""


class User(Entity, table=Desk):
    user_id: str
    email: Annotated[str, unique]
    rev: Version = 0
    primary = Desk.primary.key("USER#{user_id}", "USER")


class Note(Entity, table=Desk):
    user_id: str
    note_id: str
    primary = Desk.primary.key("USER#{user_id}", "NOTE#{note_id}")


@pattern("Add a user", rate="1/s")
def add_user(user: User) -> Op[User]:
    return user.create()


@pattern("Add a note", rate="1/s")
def add_note(note: Note) -> Op[Note]:
    return note.create()


@pattern("Change the address of a user", rate="1/s")
def change_email(user: User, email: str) -> Op[User]:
    return user.update().set(email=email)


@pattern("The notes of a user", rate="1/s")
def notes(user_id: str) -> Op[list[Note]]:
    return Note.query(user_id=user_id)
