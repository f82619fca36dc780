"""Walking the code that a handler can reach, for the patterns that it can use.

A pattern counts as used if code that the handler can reach names it. What is reached grows until
nothing is added:

- A function reaches the values of the names in its code: of its module, of outer functions, of
  imports within it; and its default values and annotations.
- An object of a library reaches all that it holds, since it may call what was registered with it.
  Its own code is not walked: it knows no pattern but those that it is given.
- A class of the application reaches the members that the code can use (see `classes`), and an
  object its class, and the attributes whose names are read.

That is more than what runs, as no value is followed through variables and calls. What the walk
cannot see is reported: attributes by computed names, code made from text, operations outside of
patterns. A class whose objects are given to a library, and of which the application itself names no
method, counts as called by the library. If the application names some, the others are reported.
"""

import gc
import sys
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import FunctionType, MethodType, ModuleType
from typing import Annotated, Any, cast, get_args, get_origin

from sortkey.design.declaring.pattern import Pattern
from sortkey.design.findings import SourceLine
from sortkey.operations.operation import Operation
from sortkey.programs.classes import Classes
from sortkey.programs.contents import PLAIN, HeldObjects
from sortkey.programs.facts import SourceFacts, facts_of, is_generated
from sortkey.programs.members import ANNOTATING, annotations_of, class_of, evaluated, label_of
from sortkey.programs.ownership import Ownership
from sortkey.programs.program import Unjudged, Use
from sortkey.programs.scope import UNKNOWN, Scope, member_of
from sortkey.programs.step import CodeStep


@dataclass(slots=True)
class Reached:
    """Everything that a handler can use, and what could not be judged."""

    uses: dict[int, Use] = field(default_factory=dict[int, Use])
    # The operations that were made when their modules were imported, by the name of their pattern.
    made: dict[str, tuple[tuple[str, ...], Unjudged]] = field(
        default_factory=dict[str, tuple[tuple[str, ...], Unjudged]]
    )
    unjudged: dict[Unjudged, None] = field(default_factory=dict[Unjudged, None])


class Walker:
    """Walks handlers of one application, and reads each function of it once."""

    def __init__(self, ours: Ownership) -> None:
        self.ours = ours
        self._modules = 0
        self._forget()

    def _forget(self) -> None:
        self._contents = HeldObjects(self.ours)
        self._read: dict[tuple[FunctionType, type | None], tuple[Scope, SourceFacts]] = {}

    def walked(self, handler: object, label: str) -> Reached:
        """Return what a handler can reach."""
        while True:
            # A module that was imported since may have registered something with an object; a
            # function that is walked may import one, too.
            if self._modules != len(sys.modules):
                self._modules = len(sys.modules)
                self._forget()
            walk = _CodeWalk(self.ours, self._facts_of, self._contents)
            walk.reach(handler, CodeStep(label))
            walk.run()
            if self._modules == len(sys.modules):
                return walk.reached

    def _facts_of(self, function: FunctionType, owner: type | None) -> tuple[Scope, SourceFacts]:
        key = (function, owner)
        if key not in self._read:
            scope = Scope(function, owner)
            self._read[key] = (scope, facts_of(scope, self.ours))
        return self._read[key]


class _CodeWalk:
    def __init__(
        self,
        ours: Ownership,
        facts_of: Callable[[FunctionType, type | None], tuple[Scope, SourceFacts]],
        contents: HeldObjects,
    ) -> None:
        self.reached = Reached()
        self._ours = ours
        self._facts_of = facts_of
        self._contents = contents
        self._classes = Classes(ours, self.reach)
        self._queue: deque[tuple[object, CodeStep]] = deque()
        # Kept, so that no two values have one id.
        self._seen: dict[int, object] = {}
        self._owners: dict[int, type] = {}
        self._perhaps: list[tuple[str, Unjudged]] = []
        # The method that a library may call, while it is walked.
        self._doubtful = ""

    def reach(self, value: object, step: CodeStep, owner: type | None = None) -> None:
        """Note a value that is to be walked; ``owner`` is the class of a method."""
        if type(value) in PLAIN or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if owner is not None:
            self._owners[id(value)] = owner
        self._queue.append((value, step))

    def run(self) -> None:
        """Walk until nothing is added."""
        self._drain()
        while self._classes.construct_others() or self._classes.reach_given():
            self._drain()
        for cls, name, step in tuple(self._classes.uncalled()):
            self._doubtful = f"{cls.__name__}.{name}"
            self._classes.reach_member(cls, name, step)
            self._drain()
        for name, unjudged in self._perhaps:
            if not self._classes.declares(name):
                self.reached.unjudged[unjudged] = None

    def _drain(self) -> None:
        while self._queue:
            self._walk(*self._queue.popleft())

    def _walk(self, value: object, step: CodeStep) -> None:
        # By its class alone: a proxy may say that it is of another one.
        for cls, walk in self._kinds.items():
            if cls in type(value).__mro__:
                walk(value, step)
                return
        if self._ours.of_class(type(value)):
            self._object(value, step)
        else:
            self._foreign(value, step)

    @cached_property
    def _kinds(self) -> Mapping[type, Callable[[Any, CodeStep], None]]:
        return {
            Pattern: self._use,
            Operation: self._operation,
            FunctionType: self._function,
            MethodType: self._method,
            ModuleType: self._module,
            type: self._classes.construct,
        }

    def _use(self, pattern: Pattern[..., Any], step: CodeStep) -> None:
        use = Use(pattern, step.chain)
        if not self._doubtful:
            self.reached.uses[id(pattern)] = use
        else:
            what = f"gives an object to a library, which may call {self._doubtful}"
            self.reached.unjudged[Unjudged(step.label, what, use=use)] = None

    def _operation(self, operation: Operation[Any], step: CodeStep) -> None:
        """Note an operation that was made when its module was imported."""
        kind = type(operation).__name__
        what = f"runs a {kind} that was made when its module was imported"
        self.reached.made.setdefault(operation._pattern, (step.chain, Unjudged(step.label, what)))

    def _method(self, method: MethodType, step: CodeStep) -> None:
        self.reach(method.__func__, step, class_of(method.__self__))
        self.reach(method.__self__, step)

    def _module(self, module: ModuleType, _step: CodeStep) -> None:
        if self._ours.of_module(module.__name__):
            self._classes.add_module(module)

    def _object(self, value: object, step: CodeStep) -> None:
        self._classes.add_object(value, step)
        if isinstance(value, list | tuple | dict | set | frozenset | deque):
            attributes = getattr(cast("object", value), "__dict__", None)
            for each in gc.get_referents(value):
                if each is not attributes:
                    self.reach(each, step)

    def _foreign(self, value: object, step: CodeStep, owner: type | None = None) -> None:
        """Reach all that an object of a library holds; ``owner`` is the class of a method."""
        if _is_dynamodb_client(value):
            what = "sends requests to DynamoDB without sortkey"
            self.reached.unjudged[Unjudged(step.label, what)] = None
            return
        for held in self._contents.of(value):
            if held.is_lent and self._ours.of_class(type(held.value)):
                self._classes.give(type(held.value), "", step)
            self.reach(held.value, step, owner if isinstance(held.value, FunctionType) else None)

    def _function(self, function: FunctionType, step: CodeStep) -> None:
        if function.__name__ in ANNOTATING:
            return
        owner = self._owners.get(id(function))
        if not self._ours.of_function(function):
            self._foreign(function, step, owner)
            return
        here = CodeStep(label_of(function, owner), step)
        scope, facts = self._facts_of(function, owner)
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        # Those that a dataclass generates from its fields count when the fields are read.
        for each in () if is_generated(function, owner) else defaults:
            self.reach(each, here)
        for each in annotations_of(function).values():
            self._mention(evaluated(each, function.__globals__), here)
        for value, attributes in scope.values:
            self._follow(value, attributes, here)
        for made, error in scope.failed.items():
            name = "." * made.level + made.module
            self._note(_failure(name, error), function, made.line, here)
        self._use_facts(function, facts, here)

    def _mention(self, annotation: object, here: CodeStep) -> None:
        """Note the classes in an annotation, and reach what it is annotated with."""
        if isinstance(annotation, type) and get_origin(annotation) is None:
            self._classes.mention(annotation, here)
        for each in getattr(annotation, "__metadata__", ()):
            self.reach(each, here)
        for each in (get_origin(annotation), *get_args(annotation)):
            if each is not None and each is not Annotated:
                self._mention(each, here)

    def _follow(self, value: object, attributes: tuple[str, ...], here: CodeStep) -> None:
        """Reach a value, and what is read from it; of a module, only the member that is named."""
        rest = deque(attributes)
        while rest and isinstance(value, ModuleType):
            value = member_of(value, rest.popleft())
        if value is not UNKNOWN:
            self.reach(value, here)
        while rest and value is not UNKNOWN and not isinstance(value, property):
            owner = class_of(value)
            value = member_of(value, rest.popleft())
            if value is not UNKNOWN:
                self.reach(value, here, owner if isinstance(value, FunctionType) else None)

    def _use_facts(self, function: FunctionType, facts: SourceFacts, here: CodeStep) -> None:
        for what, line in facts.unjudged:
            self._note(what, function, line, here)
        for name, line in facts.perhaps:
            what = f"may run an operation outside of a pattern, {name}()"
            self._perhaps.append((name, Unjudged(here.label, what, _place(function, line))))
        for name in facts.imports:
            self._import(name, function, here)
        for cls, name in facts.typed:
            self._classes.read_of(cls, name, here)
        for name in facts.attributes:
            self._classes.read(name, here)
        for cls, name in facts.written:
            self._classes.write(cls, name, here)
        for cls, name in facts.given:
            self._classes.mention(cls, here)
            self._classes.give(cls, name, here)
        if facts.makes_any:
            self._classes.construct_all(here)

    def _import(self, name: str, function: FunctionType, here: CodeStep) -> None:
        try:
            self.reach(import_module(name), here)
        except Exception as error:  # noqa: BLE001 - whatever the imported module raises
            line = function.__code__.co_firstlineno
            self._note(f"imports {name}, which fails here: {error}", function, line, here)

    def _note(self, what: str, function: FunctionType, line: int, here: CodeStep) -> None:
        self.reached.unjudged[Unjudged(here.label, what, _place(function, line))] = None


def _failure(name: str, error: Exception) -> str:
    """Return what is wrong with an import."""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing is not None and name.startswith(missing):
        return f"imports {missing.partition('.')[0]}, which is not installed here"
    return f"imports {name}, which fails here: {error}"


def _place(function: FunctionType, line: int) -> SourceLine:
    return SourceLine(function.__code__.co_filename, line)


def _is_dynamodb_client(value: object) -> bool:
    """Whether it is a client or a resource of boto3 for DynamoDB."""
    # Other objects may do anything when an attribute is read.
    if not type(value).__module__.startswith(("botocore.client", "boto3.resources")):
        return False
    meta = getattr(value, "meta", None)
    model = getattr(getattr(meta, "client", value), "meta", None)
    return getattr(getattr(model, "service_model", None), "service_name", "") == "dynamodb"
