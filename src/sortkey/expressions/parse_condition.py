"""Conditions read from text.

    condition := and (OR and)*
    and       := not (AND not)*
    not       := NOT* (comparison | function | "(" condition ")")

A parenthesis may open a condition or an operand, and only the text after it decides: so a group is
read before it is known what it is. Groups are kept on a list and not on Python's stack, which 4 KB
of parentheses would exhaust.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias, cast

from sortkey.expressions.condition_templates import (
    CONDITION_FUNCTIONS,
    AndTemplate,
    BetweenTemplate,
    CompareTemplate,
    ConditionTemplate,
    FunctionTemplate,
    InTemplate,
    NotTemplate,
    OperandTemplate,
    OrTemplate,
    SizeTemplate,
    fold,
)
from sortkey.expressions.faults import NOT_IN_CONDITION
from sortkey.expressions.operands import (
    CallTemplate,
    PathTemplate,
    Reader,
    ValueTemplate,
    redundant_parentheses,
)
from sortkey.expressions.tree import Comparator

_COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_UPDATE_FUNCTIONS = frozenset({"if_not_exists", "list_append"})

_Term: TypeAlias = PathTemplate | ValueTemplate | CallTemplate | ConditionTemplate


@dataclass(frozen=True, slots=True)
class ParsedCondition:
    """A condition's template, and the placeholders that its text mentions."""

    template: ConditionTemplate
    names: frozenset[str]
    values: frozenset[str]


@lru_cache(maxsize=2048)
def parse_condition(text: str) -> ParsedCondition:
    """The condition in the text; the same text is read once."""
    reader = _ConditionReader(text)
    template = reader.condition()
    reader.finish()
    return ParsedCondition(template, frozenset(reader.names), frozenset(reader.values))


@dataclass(slots=True)
class _Group:
    """The part that was read since a parenthesis opened."""

    alternatives: list[list[ConditionTemplate]] = field(
        default_factory=lambda: [[]]  # the conditions joined by AND, for each side of an OR
    )
    negations: int = 0

    @property
    def is_fresh(self) -> bool:
        return not self.negations and self.alternatives == [[]]

    def add(self, condition: ConditionTemplate) -> None:
        for _ in range(self.negations):
            condition = NotTemplate(condition)
        self.negations = 0
        self.alternatives[-1].append(condition)

    def condition(self) -> ConditionTemplate:
        joined = [
            conditions[0] if len(conditions) == 1 else AndTemplate(tuple(conditions))
            for conditions in self.alternatives
        ]
        return joined[0] if len(joined) == 1 else OrTemplate(tuple(joined))


class _ConditionReader(Reader):
    def condition(self) -> ConditionTemplate:
        outer: list[_Group] = []
        group = _Group()
        while True:
            group = self._open_groups(group, outer)
            term = self._comparison(self.bare_operand())
            is_enclosed = False
            while self.kind == ")" and outer:
                if not group.is_fresh and isinstance(term, (PathTemplate, ValueTemplate)):
                    raise self.syntax_error()
                self.take()
                if group.is_fresh:
                    if is_enclosed:
                        raise redundant_parentheses()
                    group = outer.pop()
                    continued = self._continued(term)
                    is_enclosed = continued is term
                    term = continued
                else:
                    group.add(self._as_condition(term))
                    term = group.condition()
                    group = outer.pop()
                    is_enclosed = True
            if isinstance(term, (PathTemplate, ValueTemplate)):
                raise self.syntax_error()
            group.add(self._as_condition(term))
            if not self._joins(group):
                break
        if outer:
            raise self.syntax_error()
        return group.condition()

    def _open_groups(self, group: _Group, outer: list[_Group]) -> _Group:
        while True:
            if self.passes("NOT"):
                self.count_operator()
                group.negations += 1
            elif self.passes("("):
                outer.append(group)
                group = _Group()
            else:
                return group

    def _joins(self, group: _Group) -> bool:
        """Whether AND or OR follows, and with it another condition of the group."""
        if self.passes("AND"):
            self.count_operator()
            return True
        if self.passes("OR"):
            self.count_operator()
            group.alternatives.append([])
            return True
        return False

    def _continued(self, term: _Term) -> _Term:
        """A term in parentheses with what follows them, if that makes them an operand's."""
        if isinstance(term, (PathTemplate, ValueTemplate, CallTemplate)):
            return self._comparison(term)
        return term

    def _comparison(self, left: PathTemplate | ValueTemplate | CallTemplate) -> _Term:
        """A comparison if the operand is followed by an operator, else the operand."""
        if self.kind in _COMPARATORS:
            self.count_operator()
            op = cast("Comparator", self.take())
            right = self._as_operand(self.operand())
            return fold(CompareTemplate(op, self._as_operand(left), right))
        if self.passes("BETWEEN"):
            self.count_operator()
            low = self._as_operand(self.operand())
            self.expect("AND")
            high = self._as_operand(self.operand())
            return fold(BetweenTemplate(self._as_operand(left), low, high))
        if self.passes("IN"):
            self.count_operator()
            self.expect("(")
            choices = [self._as_operand(self.operand())]
            while self.passes(","):
                choices.append(self._as_operand(self.operand()))
            self.expect(")")
            return fold(InTemplate(self._as_operand(left), tuple(choices)))
        return left

    def _as_operand(self, term: PathTemplate | ValueTemplate | CallTemplate) -> OperandTemplate:
        if not isinstance(term, CallTemplate):
            return term
        operands = tuple([self._as_operand(operand) for operand in term.operands])
        if term.function != "size":
            self._note_misuse(term)
        return SizeTemplate(operands)

    def _as_condition(self, term: _Term) -> ConditionTemplate:
        if not isinstance(term, CallTemplate):
            return cast("ConditionTemplate", term)
        operands = tuple([self._as_operand(operand) for operand in term.operands])
        template = FunctionTemplate(term.function, operands)
        if term.function in CONDITION_FUNCTIONS:
            return fold(template)
        self._note_misuse(term)
        return template

    def _note_misuse(self, call: CallTemplate) -> None:
        """Record a function that does not exist, or is not allowed here."""
        if call.function in _UPDATE_FUNCTIONS:
            fault = NOT_IN_CONDITION
        elif call.function == "size" or call.function in CONDITION_FUNCTIONS:
            fault = "The function is not allowed to be used this way in an expression"
        else:
            fault = "Invalid function name"
        self.note(call.position, f"{fault}; function: {call.function}")
