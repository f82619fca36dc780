"""What the printers of both languages share: the order of a program, and its comments."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from textwrap import wrap

from sortkey.synth.cdk.layout import WIDTH, Code, lines
from sortkey.synth.cdk.program import Program, Step, Value, Variable


class Printer(ABC):
    """Writes values and statements in one language."""

    indent: str
    comment_mark: str
    statement_end: str

    def body(self, program: Program, indent: str) -> Iterator[str]:
        """The statements of a program, section by section."""
        for number, section in enumerate(program.sections):
            if number:
                yield ""
            yield f"{indent}{self.comment_mark} {section.heading}."
            for step in section.steps:
                if step.variable is not None or step.comment:
                    yield ""
                yield from self._step(step, indent)

    def _step(self, step: Step, indent: str) -> Iterator[str]:
        yield from (f"{indent}{line}" for line in self.comment(step.comment, len(indent)))
        before = "" if step.variable is None else self.assignment(step.variable)
        yield from lines(self.code(step.value), indent, self.indent, before, self.statement_end)

    def comment(self, text: str, room: int = 0) -> tuple[str, ...]:
        """The text as lines of a comment."""
        made: list[str] = []
        for number, paragraph in enumerate(text.split("\n\n") if text else ()):
            made += [self.comment_mark] if number else []
            plain = " ".join(paragraph.split())
            made += [f"{self.comment_mark} {line}" for line in wrap(plain, WIDTH - 4 - room)]
        return tuple(made)

    @abstractmethod
    def assignment(self, variable: Variable) -> str:
        """What comes before a value that gets a name."""

    @abstractmethod
    def code(self, value: Value) -> Code:
        """A value in the language."""
