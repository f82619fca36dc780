"""A step from a handler to the code that it reaches."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodeStep:
    """A function on the way from the handler."""

    label: str
    before: "CodeStep | None" = None

    @property
    def chain(self) -> tuple[str, ...]:
        """The functions from the handler to this one."""
        earlier = () if self.before is None else self.before.chain
        return earlier if earlier[-1:] == (self.label,) else (*earlier, self.label)
