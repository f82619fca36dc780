"""Walking the code that a handler can reach, for the patterns that it can use.

A pattern counts as used if code that the handler can reach names it. What is reached grows until
nothing is added:

- A function reaches the values of the names in its code: of its module, of outer functions, of
  imports within it; and its default values and annotations.
- An object of a library reaches all that it holds, since it may call what was registered with it.
  Its own code is not walked: it knows no pattern but those that it is given.
- A class of the application reaches its special methods, the methods that its bases in libraries
  may call, and each method whose name is read from a value that may be of that class.
- An object of the application reaches its class, and its attributes whose names are read.

That is more than what runs, as no value is followed through variables and calls. What it cannot
see is reported: attributes by computed names, code made from text, operations outside of patterns.
A class whose objects are given to a library, and of which the application itself names no method,
counts as called by the library. If the application names some, the others are reported.
"""

import enum
import gc
import inspect
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field
from contextlib import suppress
from functools import cached_property
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Annotated, Any, Final, cast, get_args, get_origin

from sortkey.design.declaring.pattern import Pattern
from sortkey.design.findings import SourceLine
from sortkey.operations.operation import Operation
from sortkey.programs.code import references_in
from sortkey.programs.facts import Facts, facts_of, is_generated
from sortkey.programs.ownership import Ownership
from sortkey.programs.program import Unjudged, Use
from sortkey.programs.scope import UNKNOWN, Scope, member_of

# Values that hold no others.
_PLAIN: Final = frozenset(
    (str, bytes, bytearray, int, float, bool, complex, type(None), type(Ellipsis), range, slice)
) | {types.CodeType, types.FrameType, types.TracebackType, types.GetSetDescriptorType}
# What a model says about its fields: validators, default factories, annotations.
_OF_PYDANTIC: Final = ("__pydantic_decorators__", "__pydantic_fields__")
# What runs when an object is made.
_CONSTRUCTING: Final = ("__new__", "__init__", "__post_init__")
# Objects of these call no methods of what they hold.
_NEUTRAL: Final = frozenset(
    ("builtins", "collections", "functools", "types", "pydantic", "pydantic_core", "enum", "typing")
)
# Bases that only call what they declare; others may call any method, like visit_Name.
_CALLING_THEIR_OWN: Final = frozenset(
    ("builtins", "abc", "collections", "enum", "typing", "typing_extensions", "pydantic", "sortkey")
)


@dataclass(frozen=True, slots=True)
class Step:
    """A function on the way from the handler."""

    label: str
    before: "Step | None" = None

    @property
    def chain(self) -> tuple[str, ...]:
        """The functions from the handler to this one."""
        earlier = () if self.before is None else self.before.chain
        return earlier if earlier[-1:] == (self.label,) else (*earlier, self.label)


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
        self._ours = ours
        self._read: dict[tuple[FunctionType, type | None], tuple[Scope, Facts]] = {}

    def walked(self, handler: object, label: str) -> Reached:
        """Return what a handler can reach."""
        walk = _Walk(self._ours, self._facts_of)
        walk.reach(handler, Step(label))
        walk.run()
        return walk.reached

    def _facts_of(self, function: FunctionType, owner: type | None) -> tuple[Scope, Facts]:
        key = (function, owner)
        if key not in self._read:
            scope = Scope(function, owner)
            self._read[key] = (scope, facts_of(scope, self._ours))
        return self._read[key]


class _Walk:
    def __init__(
        self,
        ours: Ownership,
        facts_of: Callable[[FunctionType, type | None], tuple[Scope, Facts]],
    ) -> None:
        self.reached = Reached()
        self._ours = ours
        self._facts_of = facts_of
        self._queue: deque[tuple[object, Step]] = deque()
        # Kept, so that no two values have one id.
        self._seen: dict[int, object] = {}
        self._owners: dict[int, type] = {}
        self._classes: dict[type, Step] = {}
        # The classes whose objects may be made by what is walked.
        self._makes: dict[type, Step] = {}
        self._constructed: set[type] = set()
        self._live: set[type] = set()
        # The attributes of objects, by the class of the object.
        self._objects: list[tuple[type, Mapping[str, object]]] = []
        self._modules: list[ModuleType] = []
        self._names: dict[str, Step] = {}
        self._typed: dict[str, list[tuple[type, Step]]] = {}
        self._called: set[tuple[type, str]] = set()
        # What libraries hold.
        self._lent: set[int] = set()
        self._given: list[tuple[type, str, Step]] = []
        self._perhaps: list[tuple[str, Unjudged]] = []
        # The method that a library may call, while it is walked.
        self._doubtful = ""

    def reach(self, value: object, step: Step, owner: type | None = None) -> None:
        """Note a value that is to be walked; ``owner`` is the class of a method."""
        kind = type(value)
        if kind in _PLAIN:
            return
        if issubclass(kind, type):
            self._makes.setdefault(cast("type", value), step)
        self._note_value(value, step)
        if owner is not None:
            self._owners.setdefault(id(value), owner)

    def _know(self, cls: type, step: Step) -> None:
        """Note a class of which there are objects, or that an annotation names."""
        self._note_value(cls, step)

    def _note_value(self, value: object, step: Step) -> None:
        if id(value) not in self._seen:
            self._seen[id(value)] = value
            self._queue.append((value, step))

    def run(self) -> None:
        """Walk until nothing is added."""
        self._drain()
        while self._reach_made() or self._reach_given():
            self._drain()
        for cls, _, step in self._given_for_good():
            for name in self._uncalled(cls):
                self._doubtful = f"{cls.__name__}.{name}"
                self._reach_member(cls, name, step)
                self._drain()
        for name, unjudged in self._perhaps:
            if not any(name in vars(one) for cls in self._classes for one in self._own(cls)):
                self.reached.unjudged[unjudged] = None

    def _drain(self) -> None:
        while self._queue or self._makes:
            while self._queue:
                self._walk(*self._queue.popleft())
            for cls in tuple(self._makes):
                self._construct(cls, self._makes.pop(cls))

    def _construct(self, cls: type, step: Step) -> None:
        """Reach what runs when an object of a class is made."""
        if cls in self._constructed or not self._ours.of_class(cls):
            return
        self._constructed.add(cls)
        for name in _CONSTRUCTING:
            self._reach_member(cls, name, step)

    def _reach_made(self) -> bool:
        """Construct the classes of which no object was found: a library may make one."""
        unmade = [
            (cls, step)
            for cls, step in self._classes.items()
            if cls not in self._constructed and not any(issubclass(one, cls) for one in self._live)
        ]
        for cls, step in unmade:
            self._construct(cls, step)
        return bool(unmade)

    def _walk(self, value: object, step: Step) -> None:
        # By its class alone: a proxy may say that it is of another one.
        for cls, walk in self._kinds.items():
            if issubclass(type(value), cls):
                walk(value, step)
                return
        if self._ours.of_class(type(value)):
            self._object(value, step)
        else:
            self._foreign(value, step)

    @cached_property
    def _kinds(self) -> Mapping[type, Callable[[Any, Step], None]]:
        return {
            Pattern: self._use,
            Operation: self._operation,
            FunctionType: self._function,
            MethodType: self._method,
            BuiltinFunctionType: lambda value, step: self.reach(value.__self__, step),
            ModuleType: self._module,
            type: self._class,
            weakref.ref: lambda value, step: self.reach(value(), step),
        }

    def _method(self, method: MethodType, step: Step) -> None:
        self.reach(method.__func__, step, _class_of(method.__self__))
        self.reach(method.__self__, step)

    def _use(self, pattern: Pattern[..., Any], step: Step) -> None:
        use = Use(pattern, step.chain)
        if not self._doubtful:
            self.reached.uses[id(pattern)] = use
        elif id(pattern) not in self.reached.uses:
            what = f"gives an object to a library, which may call {self._doubtful}"
            self.reached.unjudged[Unjudged(step.label, what, use=use)] = None

    def _operation(self, operation: Operation[Any], step: Step) -> None:
        """Note an operation that was made when its module was imported."""
        kind = type(operation).__name__
        what = f"runs a {kind} that was made when its module was imported"
        self.reached.made.setdefault(operation._pattern, (step.chain, Unjudged(step.label, what)))

    def _function(self, function: FunctionType, step: Step) -> None:
        if not self._ours.of_function(function):
            self._held_by_foreign(function, step)
            return
        owner = self._owners.get(id(function))
        here = Step(label_of(function, owner), step)
        scope, facts = self._facts_of(function, owner)
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        # Those that a dataclass generates from its fields count when the fields are read.
        for each in () if is_generated(function, owner) else defaults:
            self.reach(each, here)
        for each in _annotations(function):
            self._mentioned(each, here)
        for value, attributes in scope.values:
            self._follow(value, attributes, here)
        for made, error in scope.failed.items():
            name = "." * made.level + made.module
            self._unjudged(function, f"imports {name}, which fails here: {error}", made.line, here)
        self._note(function, facts, here)

    def _mentioned(self, annotation: object, here: Step) -> None:
        """Note the classes in an annotation, and reach what it is annotated with."""
        if isinstance(annotation, type) and get_origin(annotation) is None:
            self._know(annotation, here)
        for each in getattr(annotation, "__metadata__", ()):
            self.reach(each, here)
        for each in (get_origin(annotation), *get_args(annotation)):
            if each is not None and each is not Annotated:
                self._mentioned(each, here)

    def _note(self, function: FunctionType, facts: Facts, here: Step) -> None:
        for what, line in facts.unjudged:
            self._unjudged(function, what, line, here)
        for name, line in facts.perhaps:
            what = f"may run an operation outside of a pattern, {name}()"
            place = SourceLine(function.__code__.co_filename, line)
            self._perhaps.append((name, Unjudged(here.label, what, place)))
        for name in facts.imports:
            self._import(function, name, here)
        for cls, name in facts.typed:
            self._read_of(cls, name, here)
        for name in facts.attributes:
            self._read(name, here)
        for cls, name in facts.given:
            self.reach(cls, here)
            self._given.append((cls, name, here))

    def _import(self, function: FunctionType, name: str, here: Step) -> None:
        try:
            self.reach(__import__(name, fromlist=["*"]), here)
        except Exception as error:  # noqa: BLE001 - whatever the imported module raises
            line = function.__code__.co_firstlineno
            self._unjudged(function, f"imports {name}, which fails here: {error}", line, here)

    def _unjudged(self, function: FunctionType, what: str, line: int, here: Step) -> None:
        place = SourceLine(function.__code__.co_filename, line)
        self.reached.unjudged[Unjudged(here.label, what, place)] = None

    def _follow(self, value: object, attributes: tuple[str, ...], here: Step) -> None:
        """Reach a value, and what is read from it; of a module, only the member that is named."""
        for number, name in enumerate(attributes):
            if not isinstance(value, ModuleType):
                rest = attributes[number:]
                break
            value = member_of(value, name)
        else:
            rest = ()
        if value is not UNKNOWN:
            self.reach(value, here)
        for name in rest:
            owner = _class_of(value)
            value = UNKNOWN if value is UNKNOWN else member_of(value, name)
            if value is UNKNOWN or isinstance(value, property):
                return
            self.reach(value, here, owner if isinstance(value, FunctionType) else None)

    def _module(self, module: ModuleType, _step: Step) -> None:
        """Reach the members of a module that is passed on, by the names that are read."""
        if not self._ours.of_module(module.__name__):
            return
        self._modules.append(module)
        for name, step in tuple(self._names.items()):
            if name in vars(module):
                self.reach(vars(module)[name], step)

    def _class(self, cls: type, step: Step) -> None:
        if not self._ours.of_class(cls):
            return
        self._classes[cls] = step
        self._know(type(cls), step)
        called = [*self._called_by_bases(cls)]
        for one in self._own(cls):
            self._know(one, step)
            for name, held in tuple(vars(one).items()):
                if name == "__dataclass_fields__":
                    self._fields(cls, cast("Mapping[str, Field[Any]]", held), step)
                elif name in _OF_PYDANTIC:
                    self.reach(held, step)
                elif name in _CONSTRUCTING:
                    continue
                elif (_is_special(name) and any(_functions_of(held))) or name in called:
                    self._reach_member(cls, name, step)
                elif (reader := self._reader(cls, name)) is not None:
                    self._reach_member(cls, name, reader)
        if issubclass(cls, enum.Enum):
            for member in cls:
                self.reach(member.value, step)
        if self._reader(cls, "__subclasses__") is not None:
            for each in type.__subclasses__(cls):
                self.reach(each, step)

    def _fields(self, cls: type, fields: Mapping[str, Field[Any]], step: Step) -> None:
        """Reach what makes default values, and the values as attributes."""
        for each in fields.values():
            self.reach(each.default_factory, step)
        self._hold(cls, {name: each.default for name, each in fields.items()})

    def _object(self, value: object, step: Step) -> None:
        cls = type(value)
        self._live.add(cls)
        self._know(cls, step)
        self._hold(cls, _held_by(value))
        if isinstance(value, list | tuple | dict | set | frozenset | deque):
            for each in gc.get_referents(value):
                if each is not getattr(value, "__dict__", None):
                    self.reach(each, step)

    def _hold(self, cls: type, held: Mapping[str, object]) -> None:
        """Note the attributes of an object of a class, of which those count that are read."""
        self._objects.append((cls, held))
        for name, each in held.items():
            if (reader := self._reader(cls, name)) is not None:
                self.reach(each, reader)

    def _foreign(self, value: object, step: Step) -> None:
        """Reach all that an object of a library holds."""
        module = type(value).__module__
        if module.startswith("sortkey.design."):
            return
        if _is_dynamodb_client(value):
            what = "sends requests to DynamoDB without sortkey"
            self.reached.unjudged[Unjudged(step.label, what)] = None
            return
        # A container of the application's is no library, unless a library holds it.
        is_library = module.partition(".")[0] not in _NEUTRAL or id(value) in self._lent
        for each in gc.get_referents(value):
            # The variables of a module are not what it holds.
            if not (isinstance(each, dict) and "__builtins__" in each):
                self._reach_held(cast("object", each), step, is_library=is_library)

    def _held_by_foreign(self, function: FunctionType, step: Step) -> None:
        """Reach what a function of a library was made with: a decorator is one."""
        owner = self._owners.get(id(function))
        held = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # never set
                held.append(cell.cell_contents)
        for each in (*held, *vars(function).values()):
            decorated = owner if isinstance(each, FunctionType) else None
            self._reach_held(each, step, is_library=True, owner=decorated)

    def _reach_held(
        self, value: object, step: Step, *, is_library: bool, owner: type | None = None
    ) -> None:
        if is_library:
            self._lent.add(id(value))
            if self._ours.of_class(type(value)):
                self._given.append((type(value), "", step))
        self.reach(value, step, owner)

    def _read(self, name: str, step: Step) -> None:
        """Note a name that is read from a value of an unknown class."""
        if name in self._names:
            return
        self._names[name] = step
        for cls in tuple(self._classes):
            self._match(cls, name, step)
        for _, held in tuple(self._objects):
            if name in held:
                self.reach(held[name], step)
        for module in tuple(self._modules):
            if name in vars(module):
                self.reach(vars(module)[name], step)

    def _read_of(self, owner: type, name: str, step: Step) -> None:
        """Note a name that is read from a value of a class, or of a class that is based on it."""
        self._know(owner, step)
        self._typed.setdefault(name, []).append((owner, step))
        for cls in tuple(self._classes):
            if issubclass(cls, owner):
                self._match(cls, name, step)
        for cls, held in tuple(self._objects):
            if name in held and issubclass(cls, owner):
                self.reach(held[name], step)

    def _match(self, cls: type, name: str, step: Step) -> None:
        if name == "__subclasses__":
            for each in type.__subclasses__(cls):
                self.reach(each, step)
        self._reach_member(cls, name, step)

    def _reader(self, cls: type, name: str) -> Step | None:
        """Return the first function that reads a name from a value that may be of a class."""
        typed = self._typed.get(name, ())
        return self._names.get(name) or next((s for t, s in typed if issubclass(cls, t)), None)

    def _reach_member(self, cls: type, name: str, step: Step) -> None:
        """Reach the member of a class, and those that it replaces if it calls them."""
        for one in self._own(cls):
            if name not in vars(one):
                continue
            self._called.add((cls, name))
            held = vars(one)[name]
            functions = [*_functions_of(held)]
            for function in functions:
                self.reach(function, step, one)
            if not functions:
                self.reach(held, step)
            if not any("super" in references_in(f.__code__).names_of_module for f in functions):
                return

    def _own(self, cls: type) -> Iterator[type]:
        """Yield the classes of the application among a class and its bases."""
        return (one for one in cls.__mro__ if self._ours.of_class(one))

    def _called_by_bases(self, cls: type) -> Iterator[str]:
        """Yield the methods that the code of its bases in libraries may call."""
        for base in (one for one in cls.__mro__ if not self._ours.of_class(one)):
            if base.__module__.partition(".")[0] in _CALLING_THEIR_OWN:
                yield from vars(base)
            else:
                yield from (name for one in self._own(cls) for name in _methods_of(one))

    def _reach_given(self) -> bool:
        """Reach the methods of objects of which only a library can call any."""
        before = len(self._seen)
        for cls, _, step in self._given_for_good():
            methods = {name for one in self._own(cls) for name in _methods_of(one)}
            if not any((cls, name) in self._called for name in methods):
                for name in methods:
                    self._reach_member(cls, name, step)
        return len(self._seen) > before

    def _given_for_good(self) -> list[tuple[type, str, Step]]:
        """Return the classes of objects that are given to libraries, not to the application."""
        return [
            (cls, method, step)
            for cls, method, step in self._given
            if not method or not any((one, method) in self._called for one in self._classes)
        ]

    def _uncalled(self, cls: type) -> Iterable[str]:
        names = dict.fromkeys(name for one in self._own(cls) for name in _methods_of(one))
        return [name for name in names if (cls, name) not in self._called]


def label_of(function: FunctionType, owner: type | None = None) -> str:
    """Return the name of a function with its module, as a reader would say it."""
    name = function.__qualname__.rpartition("<locals>.")[2]
    if owner is not None and "." not in name:
        name = f"{owner.__name__}.{name}"
    module = str(function.__globals__.get("__name__", "")).rpartition(".")[2]
    return f"{module}.{name}"


def _annotations(function: FunctionType) -> Iterable[object]:
    try:
        return tuple(inspect.get_annotations(function, eval_str=True).values())
    except Exception:  # noqa: BLE001 - a name that only type checkers know
        return ()


def _class_of(value: object) -> type:
    return value if isinstance(value, type) else type(value)


def _held_by(value: object) -> dict[str, object]:
    """Return the attributes of an object, without calling a property."""
    found: dict[str, object] = {}
    for cls in type(value).__mro__:
        for name, slot in vars(cls).items():
            if isinstance(slot, types.MemberDescriptorType):
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:  # never set
                    continue
    found |= getattr(value, "__dict__", None) or {}
    private = found.get("__pydantic_private__")
    return found | (cast("dict[str, object]", private) if isinstance(private, dict) else {})


def _functions_of(held: object) -> Iterator[FunctionType]:
    """Yield the functions of a method or a property."""
    match held:
        case FunctionType():
            yield held
        case staticmethod() | classmethod():
            yield from _functions_of(cast("Any", held).__func__)
        case property():
            found = (held.fget, held.fset, held.fdel)
            yield from (each for each in found if inspect.isfunction(each))
        case _:
            pass


def _methods_of(cls: type) -> Iterator[str]:
    """Yield the methods of a class that others may call."""
    for name, held in vars(cls).items():
        if not name.startswith("_") and any(_functions_of(held)):
            yield name


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_dynamodb_client(value: object) -> bool:
    """Whether it is a client or a resource of boto3 for DynamoDB."""
    meta = getattr(value, "meta", None) if "boto" in type(value).__module__ else None
    model = getattr(getattr(meta, "client", value), "meta", None)
    return getattr(getattr(model, "service_model", None), "service_name", "") == "dynamodb"
