"""A walk over the tokens of a statement."""

from sortkey.partiql.faults import TokenPlace, malformed
from sortkey.partiql.lexer import StatementToken, tokens_of
from sortkey.wire.errors import ValidationException

# The grammar's own names of the signs that it may miss.
_NAMES = {
    ")": "RIGHT_PAREN",
    "]": "RIGHT_BRACKET",
    "}": "RIGHT_CURLY",
    ">>": "RIGHT_DOUBLE_ANGLE_BRACKET",
    ":": "COLON",
    "BY": "BY",
}
TOO_DEEP = "The statement is nested too deeply"
# Statements are read on Python's stack, of which a caller may have used a part.
_MOST_LEVELS = 80


class TokenReader:
    """A position among a statement's tokens."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens_of(text)
        self._at = 0
        self._levels = 0
        self._fault: ValidationException | None = None
        self.parameters: int = 0

    @property
    def kind(self) -> str:
        """The kind of the token that comes next."""
        return self._tokens[self._at].kind

    @property
    def following_kind(self) -> str:
        """The kind of the token after the next."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)].kind

    @property
    def place(self) -> TokenPlace:
        """The place of the token that comes next."""
        return self._tokens[self._at].place

    @property
    def next_is_keyword(self) -> bool:
        """Whether a reserved word comes next."""
        return self._tokens[self._at].is_keyword

    def take(self) -> StatementToken:
        """Return the next token, and pass it unless it is the end."""
        token = self._tokens[self._at]
        if token.kind != "end":
            self._at += 1
        return token

    def passes(self, kind: str) -> bool:
        """Return whether the next token is of this kind; if so, pass it."""
        if self._tokens[self._at].kind != kind:
            return False
        self._at += 1
        return True

    def expect(self, kind: str) -> StatementToken:
        """Return the next token, which must be of this kind, and pass it."""
        if self.kind != kind:
            raise malformed(f"Expected {_NAMES.get(kind, f'{kind} keyword')}")
        return self.take()

    def note(self, fault: ValidationException) -> None:
        """Keep the first fault that is not one of grammar until the whole text is read."""
        if self._fault is None:
            self._fault = fault

    def finish(self) -> None:
        """Refuse text after the end of the statement, then raise the fault that was noted."""
        if self.passes(";") and self.kind != "end":
            raise malformed("Unexpected token after semicolon. (Only one query is allowed.)")
        if self.kind != "end":
            raise malformed("Unexpected token after expression")
        if self._fault is not None:
            raise self._fault

    def enter(self) -> None:
        """Go one level deeper into the statement."""
        self._levels += 1
        if self._levels > _MOST_LEVELS:
            raise malformed(TOO_DEEP)

    def leave(self) -> None:
        """Come back from a level."""
        self._levels -= 1
