"""A module's text, with the places of its syntax tree: a fault is a piece of text replaced."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a module's text, in bytes, and what stands there instead."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Source:
    """A module as text and as a tree."""

    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The module, parsed."""
        return ast.parse(self.text)

    @cached_property
    def _bytes(self) -> bytes:
        return self.text.encode()

    @cached_property
    def _lines(self) -> Sequence[int]:
        """Where each line begins; the columns of a tree are bytes."""
        starts = [0]
        for line in self._bytes.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def start(self, node: ast.AST) -> int:
        """Where a node begins."""
        located = cast("ast.expr", node)
        return self._lines[located.lineno - 1] + located.col_offset

    def end(self, node: ast.AST) -> int:
        """Where a node ends."""
        located = cast("ast.expr", node)
        return self._lines[(located.end_lineno or 1) - 1] + (located.end_col_offset or 0)

    def of(self, node: ast.AST) -> str:
        """The text of a node."""
        return self._bytes[self.start(node) : self.end(node)].decode()

    def replaced(self, node: ast.AST, text: str) -> Edit:
        """Another text in the place of a node."""
        return Edit(self.start(node), self.end(node), text)

    def without(self, item: ast.AST, items: Sequence[ast.AST]) -> Edit:
        """A list of arguments or elements without one of them, and without its comma."""
        place = items.index(item)
        if place:
            return Edit(self.end(items[place - 1]), self.end(item), "")
        if len(items) > 1:
            return Edit(self.start(item), self.start(items[1]), "")
        return Edit(self.start(item), self.end(item), "")

    def edited(self, edit: Edit) -> str:
        """The module's text after an edit."""
        return (self._bytes[: edit.start] + edit.text.encode() + self._bytes[edit.end :]).decode()

    def before(self, edit: Edit) -> str:
        """What an edit replaces."""
        return self._bytes[edit.start : edit.end].decode()

    def line(self, edit: Edit) -> int:
        """The line on which an edit begins."""
        return self._bytes[: edit.start].count(b"\n") + 1
