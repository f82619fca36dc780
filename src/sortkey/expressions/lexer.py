"""Expression text as tokens, and a cursor that walks them."""

import re
from typing import NamedTuple

from sortkey.expressions.faults import ExpressionError
from sortkey.wire.limits import EXPRESSION_BYTES

KEYWORDS = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"})

# Each kind of token is named by its group; a sign or a keyword is its own kind.
_TOKEN = re.compile(
    r"[ \t\r\n]*(?:"
    r"(?P<word>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<name>\#[A-Za-z0-9_]+)"
    r"|(?P<value>:[A-Za-z0-9_]+)"
    r"|(?P<index>0|[1-9][0-9]*)"
    r"|(?P<sign><>|<=|>=|[=<>()\[\],.+-])"
    r"|(?P<stray>[^ \t\r\n])"
    r")"
)


class Token(NamedTuple):
    """A piece of an expression: ``kind`` is what the grammar goes by."""

    kind: str
    text: str
    start: int
    end: int


class Cursor:
    """A position among an expression's tokens."""

    def __init__(self, text: str) -> None:
        _refuse_size(text)
        self._text = text
        self._tokens = _tokens(text)
        self._at = 0

    @property
    def kind(self) -> str:
        """The kind of the token that comes next."""
        return self._tokens[self._at].kind

    @property
    def position(self) -> int:
        """Where in the text the next token starts."""
        return self._tokens[self._at].start

    @property
    def following_kind(self) -> str:
        """The kind of the token after the next."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)].kind

    def take(self) -> str:
        """The next token's text, which is then passed."""
        token = self._tokens[self._at]
        self._at += 1
        return token.text

    def passes(self, kind: str) -> bool:
        """Whether the next token is of this kind; if so, it is passed."""
        if self._tokens[self._at].kind != kind:
            return False
        self._at += 1
        return True

    def expect(self, kind: str) -> str:
        """The text of the next token, which must be of this kind and is then passed."""
        if self._tokens[self._at].kind != kind:
            raise self.syntax_error()
        return self.take()

    def syntax_error(self) -> ExpressionError:
        """The refusal of the next token, shown between its neighbours."""
        token = self._tokens[self._at]
        before = self._tokens[max(self._at - 1, 0)]
        after = self._tokens[min(self._at + 1, len(self._tokens) - 1)]
        near = self._text[before.start : after.end]
        return ExpressionError(f'Syntax error; token: "{token.text}", near: "{near}"')


def _refuse_size(text: str) -> None:
    if not text:
        raise ExpressionError("The expression can not be empty;")
    size = len(text.encode())
    if size > EXPRESSION_BYTES:
        raise ExpressionError(
            f"Expression size has exceeded the maximum allowed size; expression size: {size}"
        )


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        group = match.lastgroup or "stray"
        piece = match[group]
        kind = group
        if group == "sign":
            kind = piece
        elif group == "word" and piece.upper() in KEYWORDS:
            kind = piece.upper()
        tokens.append(Token(kind, piece, match.start(group), match.end()))
    tokens.append(Token("end", "<EOF>", len(text), len(text)))
    return tokens
