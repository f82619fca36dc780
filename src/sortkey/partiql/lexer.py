"""The text of a statement as tokens."""

import re
from typing import NamedTuple

from sortkey.partiql.faults import TokenPlace, malformed

# Words that are attributes or tables only in double quotation marks.
_WORDS = """
ABSOLUTE ACTION ADD ALL ALLOCATE ALTER AND ANY ARE AS ASC ASSERTION AT AUTHORIZATION AVG BAG
BEGIN BETWEEN BIT BIT_LENGTH BLOB BOOL BOOLEAN BY CASCADE CASCADED CASE CAST CATALOG CHAR
CHARACTER CHARACTER_LENGTH CHAR_LENGTH CHECK CLOB CLOSE COALESCE COLLATE COLLATION COLUMN
COMMIT CONFLICT CONNECT CONNECTION CONSTRAINT CONSTRAINTS CONTINUE CONVERT CORRESPONDING COUNT
CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURSOR DATE
DATE_ADD DATE_DIFF DEALLOCATE DEC DECIMAL DECLARE DEFAULT DEFERRABLE DEFERRED DELETE DESC
DESCRIBE DESCRIPTOR DIAGNOSTICS DISCONNECT DISTINCT DO DOMAIN DOUBLE DROP ELSE END ESCAPE
EXCEPT EXCEPTION EXEC EXECUTE EXISTS EXTERNAL EXTRACT FALSE FETCH FIRST FLOAT FOR FOREIGN FOUND
FROM FULL GET GLOBAL GO GOTO GRANT GROUP HAVING IDENTITY IMMEDIATE IN INDEX INDICATOR INITIALLY
INNER INPUT INSENSITIVE INSERT INT INTEGER INTERSECT INTERVAL INTO IS ISOLATION JOIN KEY
LANGUAGE LAST LEFT LET LEVEL LIKE LIMIT LIST LOCAL LOWER MATCH MAX MIN MISSING MODIFIED MODULE
NAMES NATIONAL NATURAL NCHAR NEW NEXT NO NOT NOTHING NULL NULLIF NUMERIC OCTET_LENGTH OF OLD ON
ONLY OPEN OPTION OR ORDER OUTER OUTPUT OVERLAPS PAD PARTIAL PIVOT POSITION PRECISION PREPARE
PRESERVE PRIMARY PRIOR PRIVILEGES PROCEDURE PUBLIC READ REAL REFERENCES RELATIVE REMOVE
RESTRICT RETURNING REVOKE RIGHT ROLLBACK ROWS SCHEMA SCROLL SECTION SELECT SESSION SESSION_USER
SET SEXP SIZE SMALLINT SOME SPACE SQL SQLCODE SQLERROR SQLSTATE STRING STRUCT SUBSTRING SUM
SYMBOL SYSTEM_USER TABLE TEMPORARY THEN TIME TIMESTAMP TO TRANSACTION TRANSLATE TRANSLATION
TRIM TRUE TUPLE UNION UNIQUE UNKNOWN UNPIVOT UPDATE UPPER USAGE USER USING VALUE VALUES VARCHAR
VARYING VIEW WHEN WHENEVER WHERE WITH WORK WRITE ZONE
"""
_KEYWORDS = frozenset(_WORDS.split())

# Each kind of token is named by its group; a sign or a keyword is its own kind.
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\v\f]+|--[^\n]*|/\*.*?\*/)"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_$.]))"
    r"|(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)"
    r'|(?P<quoted>"(?:[^"]|"")*+")'
    r"|(?P<string>'(?:[^']|'')*+')"
    r"|(?P<ion>`[^`]*`)"
    r"|(?P<sign><<|>>|<>|<=|>=|!=|\|\||/(?!\*)|[-+*%=<>()\[\]{},.:;?@])",
    re.DOTALL,
)


class StatementToken(NamedTuple):
    """A piece of a statement: ``kind`` is what the grammar goes by."""

    kind: str
    text: str
    place: TokenPlace

    @property
    def is_keyword(self) -> bool:
        """Whether the piece is a reserved word."""
        return self.kind in _KEYWORDS


def tokens_of(text: str) -> list[StatementToken]:
    """Return the tokens of a statement; the last is of the kind ``end``."""
    tokens: list[StatementToken] = []
    line, line_start, position = 1, 0, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise malformed()
        piece, start, position = match[0], position, match.end()
        if match.lastgroup != "space":
            place = TokenPlace(line, start - line_start + 1, len(piece))
            tokens.append(_token(match.lastgroup or "", piece, place))
        breaks = piece.count("\n")
        if breaks:
            line += breaks
            line_start = text.rindex("\n", start, position) + 1
    tokens.append(StatementToken("end", "", TokenPlace(line, len(text) - line_start + 1, 0)))
    return tokens


def _token(group: str, piece: str, place: TokenPlace) -> StatementToken:
    match group:
        case "word" if piece.upper() in _KEYWORDS:
            return StatementToken(piece.upper(), piece, place)
        case "quoted":
            return StatementToken(group, piece[1:-1].replace('""', '"'), place)
        case "string":
            return StatementToken(group, piece[1:-1].replace("''", "'"), place)
        case "sign":
            return StatementToken("<>" if piece == "!=" else piece, piece, place)
        case _:
            return StatementToken(group, piece, place)
