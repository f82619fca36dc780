"""The texts of one raw request, read into trees; what cannot be read becomes a finding."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sortkey.design.plans.sources import NOW
from sortkey.design.raw.aliases import Aliases
from sortkey.design.raw.findings import RawFindings
from sortkey.design.raw.fitting import Fitting
from sortkey.design.raw.request import EXPRESSIONS, RawRequest
from sortkey.design.raw.values import arguments_in, filled
from sortkey.design.records.codecs import Unstorable
from sortkey.expressions.faults import ExpressionError
from sortkey.expressions.parse_condition import parse_condition
from sortkey.expressions.parse_projection import parse_projection
from sortkey.expressions.parse_update import parse_update
from sortkey.expressions.placing import placed
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition, Update, Value

P = TypeVar("P")
C = TypeVar("C", Condition, Update)

_PLACEHOLDER = re.compile(r"[#:][A-Za-z0-9_]+")
_RESERVED = re.compile(r"reserved keyword: (\w+)")
_NO_VALUES: frozenset[str] = frozenset()


class ExpressionTexts:
    """A request's expressions with its names and values, and which of these were used."""

    def __init__(
        self, request: RawRequest, given: Mapping[str, Any], findings: RawFindings, fitting: Fitting
    ) -> None:
        self._findings = findings
        self._fitting = fitting
        self._request = request
        self._given = given
        self._names = dict(request.names)
        self._aliases = Aliases(request.table.definition, request.names)
        # By member, the text and what it is with aliases.
        self._unaliased: dict[str, tuple[str, str]] = {}
        self._values: dict[str, Value] = {}
        self._used: set[str] = set()
        self._all_read = True
        for placeholder, name in request.names.items():
            self._check_placeholder("names", placeholder, "#")
            if not name:
                findings.add("SK505", "names", f"{placeholder} has no name", "Give its name")
        for placeholder, value in request.values.items():
            self._check_placeholder("values", placeholder, ":")
            made = self.value("values", placeholder, value)
            if made is not None:
                self._values[placeholder] = made

    def value(self, member: str, name: str, value: Any) -> Value | None:
        """The value with its arguments put in; None, and a finding, where that cannot be."""
        place = f"{member}.{name}"
        try:
            missing = [slot for slot in arguments_in(value) if slot not in self._given]
            if not missing:
                return filled(value, self._given)
        except (ValueError, TypeError) as error:
            self._findings.add(
                "SK513",
                place,
                f"{value!r} cannot be written: {error}",
                "Write {argument} or {argument:format}, and {{ or }} for a brace itself",
            )
        except Unstorable as error:
            self._findings.add(
                "SK513", place, f"the value {error}", "Pass a value that DynamoDB can store"
            )
        else:
            known = ", ".join(name for name in self._given if name != NOW) or "none"
            for slot in missing:
                self._findings.add(
                    "SK512",
                    place,
                    f"{{{slot}}} is not an argument of the pattern, whose arguments are: {known}",
                    f'Declare it with arguments={{"{slot}": str}}, or take it from another place',
                )
        return None

    def condition(self, member: str) -> Condition | None:
        """The condition in a member of the request."""
        parsed = self._parsed(member, parse_condition)
        if parsed is None or not self._defined(member, parsed.names, parsed.values):
            return None
        return self._fitted(member, lambda: parsed.template.bind(self._names, self._values))

    def update(self) -> Update | None:
        """The update expression."""
        parsed = self._parsed("update", parse_update)
        if parsed is None or not self._defined("update", parsed.names, parsed.values):
            return None
        return self._fitted("update", lambda: parsed.bind(self._names, self._values))

    def projection(self) -> Projection | None:
        """The projection expression."""
        parsed = self._parsed("projection", parse_projection)
        if parsed is None or not self._defined("projection", parsed.names, _NO_VALUES):
            return None
        return self._bound("projection", lambda: parsed.bind(self._names))

    def find_names(self) -> None:
        """Note the names that need an alias, once all expressions have been read."""
        if self._unaliased:
            member = "names" if len(self._unaliased) > 1 else next(iter(self._unaliased))
            fix = self._aliases.fix(dict(self._unaliased.values()))
            self._findings.add("SK502", member, self._aliases.message, fix)

    def find_unused(self) -> None:
        """Note the names and values that no expression uses, once all have been read."""
        if not self._all_read:
            return
        for member, given in (("names", self._request.names), ("values", self._request.values)):
            for placeholder in given:
                if placeholder not in self._used:
                    self._findings.add(
                        "SK504",
                        member,
                        f"{placeholder} is defined but no expression uses it, which DynamoDB "
                        "rejects",
                        "Remove it, or use it",
                    )

    def _parsed(self, member: str, parse: Callable[[str], P]) -> P | None:
        """The text, read; a name that needs an alias is noted and then read as if it had one."""
        text: str | None = getattr(self._request, member)
        if text is None:
            return None
        needed = dict(self._aliases.needed)
        first = self._aliases.known(text)
        try:
            parsed, aliased = self._read(first, parse)
        except ExpressionError as fault:
            try:
                parsed, aliased = self._read(self._aliases.likely(first), parse)
            except ExpressionError:
                # Its names are not the cause.
                self._aliases.needed = needed
                self._unread(member, fault)
                return None
        if aliased != text:
            self._unaliased[member] = text, aliased
        self._names |= {alias: name for name, alias in self._aliases.needed.items()}
        return parsed

    def _read(self, text: str, parse: Callable[[str], P]) -> tuple[P, str]:
        """The text, read with an alias for each reserved word, and the text with these."""
        while True:
            try:
                return parse(text), text
            except ExpressionError as fault:
                reserved = _RESERVED.search(str(fault))
                if reserved is None:
                    raise
                text = self._aliases.reserved(text, reserved[1])

    def _defined(self, member: str, names: frozenset[str], values: frozenset[str]) -> bool:
        self._used |= names | values
        known = self._names.keys() | self._request.values.keys()
        undefined = sorted((names | values) - known)
        for placeholder in undefined:
            kind = "names" if placeholder[0] == "#" else "values"
            self._findings.add(
                "SK503",
                member,
                f"{placeholder} is used but not defined",
                f'Give {kind}={{"{placeholder}": ...}}',
            )
        # A value that could not be made has a finding of its own.
        return not undefined and values <= self._values.keys()

    def _fitted(self, member: str, bind: Callable[[], C]) -> C | None:
        """The expression, with its values as the attributes have them that they belong to."""
        bound = self._bound(member, bind)
        known = {id(value): placeholder for placeholder, value in self._values.items()}
        for attribute, value in placed(bound):
            placeholder = known.get(id(value))
            if placeholder is not None:
                written = str(self._request.values[placeholder])
                self._values[placeholder] = self._fitting.fit(attribute, value, written)
        return None if bound is None else self._bound(member, bind)

    def _bound(self, member: str, bind: Callable[[], P]) -> P | None:
        try:
            return bind()
        except ExpressionError as fault:
            self._unread(member, fault)
            return None

    def _unread(self, member: str, fault: ExpressionError) -> None:
        self._all_read = False
        self._findings.add(
            "SK501", member, f"Invalid {EXPRESSIONS[member]}: {fault}", "Correct the expression"
        )

    def _check_placeholder(self, member: str, placeholder: str, mark: str) -> None:
        if placeholder[:1] != mark or not _PLACEHOLDER.fullmatch(placeholder):
            self._findings.add(
                "SK505",
                member,
                f'"{placeholder}" is not a placeholder',
                f"Write {mark} and then letters, digits or _",
            )
