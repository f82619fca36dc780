"""The base of the printers of both languages."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from sortkey.synth.cdk.layout import Code, lines
from sortkey.synth.cdk.program import Member, Program, ProgramStep, Value, Variable
from sortkey.synth.comments import comment


class Printer(ABC):
    """Writes values and statements in one language."""

    indent: str
    comment_mark: str
    statement_end: str

    def body(self, program: Program, indent: str) -> Iterator[str]:
        """Yield the statements of a program, section by section."""
        for number, section in enumerate(program.sections):
            if number:
                yield ""
            yield f"{indent}{self.comment_mark} {section.heading}."
            for step in section.steps:
                if step.variable is not None or step.comment:
                    yield ""
                yield from self._step(step, indent)
        if program.members:
            yield ""
            yield f"{indent}{self.comment_mark} For other code."
            yield from (f"{indent}{self.exposed(member)}" for member in program.members)

    def _step(self, step: ProgramStep, indent: str) -> Iterator[str]:
        yield from comment(step.comment, indent, self.comment_mark)
        before = "" if step.variable is None else self.assignment(step.variable)
        yield from lines(self.code(step.value), indent, self.indent, before, self.statement_end)

    @abstractmethod
    def assignment(self, variable: Variable) -> str:
        """Return the text before a value that is assigned to a variable."""

    @abstractmethod
    def exposed(self, member: Member) -> str:
        """Return the statement that makes a variable a member of the stack."""

    @abstractmethod
    def code(self, value: Value) -> Code:
        """Return a value in the language."""
