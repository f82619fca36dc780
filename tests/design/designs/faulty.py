"""A design that cannot be loaded: a number that would sort as text."""

from sortkey import Entity, Table


class App(Table):
    pass


class Visit(Entity, table=App):
    number: int
    primary = App.primary.key("VISITS", "{number}")
