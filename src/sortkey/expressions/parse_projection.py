"""Projections read from text: a list of paths."""

from dataclasses import dataclass
from functools import lru_cache

from sortkey.expressions.operands import Names, PathTemplate, Reader
from sortkey.expressions.overlaps import bind_together
from sortkey.expressions.projection import Projection


@dataclass(frozen=True, slots=True)
class ParsedProjection:
    """The paths with open placeholders, and the names among them."""

    paths: tuple[PathTemplate, ...]
    names: frozenset[str]
    fixed: Projection | None = None

    def bind(self, names: Names) -> Projection:
        """The projection with its names filled in."""
        if self.fixed is not None:
            return self.fixed
        return Projection(bind_together(self.paths, names))


@lru_cache(maxsize=2048)
def parse_projection(text: str) -> ParsedProjection:
    """The paths in the text; the same text is read once."""
    reader = Reader(text)
    paths = [reader.path()]
    while reader.passes(","):
        paths.append(reader.path())
    reader.finish()
    parsed = ParsedProjection(tuple(paths), frozenset(reader.names))
    if reader.names:
        return parsed
    return ParsedProjection(parsed.paths, parsed.names, parsed.bind({}))
