"""What a handler can use is found, however its code reaches it, and little else."""

from pathlib import Path

import pytest
from tests.programs.application import names, program

IMPORTS = "from design import App, Note, add, browse, drop, read\n"

# The code of a module with a handler, and the patterns that it can use.
REACHED: dict[str, tuple[str, set[str]]] = {
    "a call": (
        "def handler(event, context): return read('1')",
        {"read"},
    ),
    "nothing": ("def handler(event, context): return 'read'", set()),
    "another function, whatever stands beside it": (
        """
        def find(): return read
        def other(): return drop
        def handler(event, context): return find()
        """,
        {"read"},
    ),
    "a local variable with the name of a pattern": (
        """
        def handler(event, context):
            drop = event["drop"]
            return read(drop)
        """,
        {"read"},
    ),
    "a member of a module": (
        """
        import design
        def handler(event, context): return design.read("1")
        """,
        {"read"},
    ),
    "a member of a module with another name": (
        """
        import design as d
        def handler(event, context): return [d.read(one) for one in event]
        """,
        {"read"},
    ),
    "a module that is passed on": (
        """
        import design
        def go(where): return where.read("1")
        def handler(event, context): return go(design)
        """,
        {"read"},
    ),
    "an import within a function": (
        """
        def handler(event, context):
            from design import read as look, add
            return look("1")
        """,
        {"read"},
    ),
    "a module imported within a function": (
        """
        def handler(event, context):
            import design as d
            def inner(): return d.read("1")
            return inner()
        """,
        {"read"},
    ),
    "a nested function, a lambda and a comprehension": (
        """
        def handler(event, context):
            def inner(): return read
            return inner, lambda: add, [drop(one) for one in event]
        """,
        {"read", "add", "drop"},
    ),
    "a closure": (
        """
        def made(asked):
            def inner(event, context): return asked("1")
            return inner
        handler = made(read)
        """,
        {"read"},
    ),
    "a decorator with wraps": (
        """
        from functools import wraps
        def logged(function):
            @wraps(function)
            def wrapper(*args): return function(*args), browse
            return wrapper
        @logged
        def handler(event, context): return read("1")
        """,
        {"read", "browse"},
    ),
    "a decorator with arguments, of a class": (
        """
        class Retried:
            def __init__(self, fallback): self.fallback = fallback
            def __call__(self, function):
                def wrapper(event, context):
                    return function(event, context) or self.fallback("1")
                return wrapper
        @Retried(drop)
        def handler(event, context): return read("1")
        """,
        {"read", "drop"},
    ),
    "a handler of lambda_handler": (
        """
        from sortkey import lambda_handler
        @lambda_handler(App, target="memory")
        def handler(event, context, db): return db(read("1"))
        """,
        {"read"},
    ),
    "a coroutine function of lambda_handler": (
        """
        from sortkey import lambda_handler
        async def find(db): return await db(read("1"))
        @lambda_handler(App, target="memory")
        async def handler(event, context, db): return await find(db)
        """,
        {"read"},
    ),
    "functions of a stream handler": (
        """
        from sortkey import StreamHandler
        handler = StreamHandler(App)
        @handler.on(Note)
        def changed(change): return read("1")
        @handler.otherwise
        def other(record): return browse("1")
        """,
        {"read", "browse"},
    ),
    "a cached function and a context manager": (
        """
        from contextlib import contextmanager
        from functools import cache, lru_cache
        @lru_cache(maxsize=4)
        def found(): return read
        @contextmanager
        def opened():
            yield browse
        def handler(event, context):
            with opened():
                return found()
        """,
        {"read", "browse"},
    ),
    "a partial function": (
        """
        from functools import partial
        def go(pattern, event): return pattern("1")
        work = partial(go, read)
        def handler(event, context): return work(event)
        """,
        {"read"},
    ),
    "a table of functions": (
        """
        ROUTES = {"GET": read, "LIST": [lambda: browse]}
        def handler(event, context): return ROUTES[event["method"]]("1")
        """,
        {"read", "browse"},
    ),
    "functions passed as arguments and given as defaults": (
        """
        def twice(function): return function, function
        def handler(event, context, look=read): return twice(drop), list(map(browse, event))
        """,
        {"read", "drop", "browse"},
    ),
    "a generic function by type": (
        """
        from functools import singledispatch
        @singledispatch
        def work(one): return read
        @work.register
        def _(one: int): return drop
        def handler(event, context): return work(event)
        """,
        {"read", "drop"},
    ),
    "one method of two": (
        """
        class Notes:
            def find(self): return read("1")
            def remove(self): return drop("1")
        def handler(event, context): return Notes().find()
        """,
        {"read"},
    ),
    "methods of one name in two classes": (
        """
        class Notes:
            def find(self): return read("1")
            def remove(self): return drop("1")
        class Files:
            def find(self): return browse("1")
            def remove(self): return add("1")
        def handler(event, context):
            notes, files = Notes(), None
            files = Files()
            return use(files)
        def use(files: Files): return files.remove()
        """,
        {"add"},
    ),
    "a method by way of self": (
        """
        class Notes:
            def find(self): return self._find()
            def _find(self): return read("1")
        class Files:
            def _find(self): return drop("1")
        def handler(event, context): return Notes().find(), Files()
        """,
        {"read"},
    ),
    "a method of a base class, and one that replaces it": (
        """
        class Base:
            def find(self): return self.look()
            def look(self): return read("1")
        class Notes(Base):
            def look(self): return browse("1"), super().look()
        def handler(event, context): return Notes().find()
        """,
        {"read", "browse"},
    ),
    "a method that is replaced": (
        """
        class Base:
            def look(self): return drop("1")
        class Notes(Base):
            def look(self): return browse("1")
        def handler(event, context): return Notes().look()
        """,
        {"browse"},
    ),
    "a subclass that is passed as its base": (
        """
        class Base:
            def look(self): return None
        class Notes(Base):
            def look(self): return browse("1")
        def go(base: Base): return base.look()
        def handler(event, context): return go(Notes())
        """,
        {"browse"},
    ),
    "a protocol": (
        """
        from typing import Protocol
        class Looks(Protocol):
            def look(self): ...
        class Notes:
            def look(self): return browse("1")
        def go(one: Looks): return one.look()
        def handler(event, context): return go(Notes())
        """,
        {"browse"},
    ),
    "an abstract class": (
        """
        from abc import ABC, abstractmethod
        class Looks(ABC):
            @abstractmethod
            def look(self): ...
        class Notes(Looks):
            def look(self): return browse("1")
        BY_NAME = {"notes": Notes}
        def go(one: Looks): return one.look()
        def handler(event, context): return go(BY_NAME[event]())
        """,
        {"browse"},
    ),
    "an abstract class that a class only resembles": (
        """
        from collections.abc import Iterable
        class Notes:
            def __iter__(self): return iter(())
            def look(self): return browse("1")
        def go(one: Iterable): return one.look()
        def handler(event, context): return go(Notes())
        """,
        {"browse"},
    ),
    "class methods, static methods and properties": (
        """
        from functools import cached_property
        class Notes:
            @classmethod
            def make(cls): return cls(), read
            @staticmethod
            def pure(): return browse
            @property
            def size(self): return add
            @cached_property
            def width(self): return drop
        def handler(event, context):
            notes = Notes.make()
            return notes.pure(), notes.size, notes.width
        """,
        {"read", "browse", "add", "drop"},
    ),
    "special methods": (
        """
        class Notes:
            def __init__(self): self.one = read
            def __enter__(self): return browse
            def __exit__(self, *error): return add
            def __getitem__(self, key): return drop
        def handler(event, context):
            with Notes() as notes:
                return notes["1"]
        """,
        {"read", "browse", "add", "drop"},
    ),
    "a callable object": (
        """
        class Finds:
            def __call__(self, event, context): return read("1")
            def other(self): return drop
        handler = Finds()
        """,
        {"read"},
    ),
    "a method as handler": (
        """
        class Service:
            def __init__(self, look): self.look = look
            def handle(self, event, context): return self.look("1")
            def other(self): return drop
        handler = Service(read).handle
        """,
        {"read"},
    ),
    "attributes of objects": (
        """
        class Services: pass
        services = Services()
        services.look, services.other = read, drop
        def handler(event, context): return services.look("1")
        """,
        {"read"},
    ),
    "fields of a dataclass": (
        """
        from dataclasses import dataclass, field
        from typing import Callable
        @dataclass(slots=True)
        class Services:
            look: Callable = read
            other: Callable = drop
            made: list = field(default_factory=lambda: [browse])
        services = Services()
        def handler(event, context): return services.look("1"), services.made
        """,
        {"read", "browse"},
    ),
    "a dataclass that the handler makes, of which it reads one field": (
        """
        from dataclasses import dataclass
        from typing import Callable
        @dataclass
        class Services:
            look: Callable = read
            other: Callable = drop
        def handler(event, context): return Services().look("1")
        """,
        {"read"},
    ),
    "a method of an object that exists, by way of super": (
        """
        class Base:
            def look(self): return read("1")
        class Store(Base):
            def __init__(self): self.other = lambda: drop("1")
            def look(self): return super().look()
        store = Store()
        def handler(event, context): return store.look()
        """,
        {"read"},
    ),
    "a default factory that runs later": (
        """
        from dataclasses import dataclass, field
        @dataclass
        class Page:
            notes: list = field(default_factory=lambda: [read("1")])
        def handler(event, context): return Page()
        """,
        {"read"},
    ),
    "a validator and a default factory of a model": (
        """
        from pydantic import BaseModel, Field, field_validator
        class Request(BaseModel):
            note: str = Field(default_factory=lambda: browse("1"))
            @field_validator("note")
            @classmethod
            def known(cls, value): return read(value)
            def unused(self): return drop
        def handler(event, context): return Request(**event)
        """,
        {"read", "browse"},
    ),
    "a private attribute of a model": (
        """
        from typing import Any
        from pydantic import BaseModel, PrivateAttr
        class Service(BaseModel):
            _look: Any = PrivateAttr(default=None)
            _other: Any = PrivateAttr(default=None)
        service = Service()
        service._look, service._other = read, drop
        def handler(event, context): return service._look("1")
        """,
        {"read"},
    ),
    "dependencies in annotations": (
        """
        from typing import Annotated
        class Depends:
            def __init__(self, function): self.function = function
        def notes(): return read("1")
        def solved(function):
            def wrapper(event, context):
                annotations = function.__annotations__.values()
                return function(*[one.__metadata__[0].function() for one in annotations])
            return wrapper
        @solved
        def handler(found: Annotated[list, Depends(notes)]): return found
        """,
        {"read"},
    ),
    "dependencies in annotations that are text": (
        """
        from typing import TYPE_CHECKING, Annotated
        if TYPE_CHECKING:
            from nowhere import Thing
        def notes(): return read("1")
        def handler(event: "Thing", found: "Annotated[list, notes]") -> "Thing": return found
        """,
        {"read"},
    ),
    "objects that are injected": (
        """
        class Notes:
            def find(self): return read("1")
            def remove(self): return drop("1")
        class Service:
            def __init__(self, notes: Notes): self._notes = notes
            def run(self): return self._notes.find()
        def handler(event, context): return Service(Notes()).run()
        """,
        {"read"},
    ),
    "an object that exists, whose class makes others otherwise": (
        """
        class Store:
            def __init__(self, note):
                self.find = lambda: read(note)
                note and note.remove()
            def remove(self): return drop("1")
        store = Store(None)
        def go(store: Store): return store.find()
        def handler(event, context): return go(store)
        """,
        {"read"},
    ),
    "an object of the class of another one": (
        """
        class Store:
            def __init__(self): self.find = lambda: read("1")
        store = Store()
        def handler(event, context): return type(store)()
        """,
        {"read"},
    ),
    "an object that a class method makes": (
        """
        class Store:
            def __init__(self): self.look = drop
            @classmethod
            def again(cls): return cls()
        store = Store()
        def handler(event, context): return store.again()
        """,
        {"drop"},
    ),
    "an object that a library makes from an annotation": (
        """
        class Store:
            def __init__(self): self.look = drop
        def injected(function): return function
        @injected
        def handler(event, context, store: Store = None): return store
        """,
        {"drop"},
    ),
    "a registry of classes": (
        """
        class Task:
            known = []
            def __init_subclass__(cls): Task.known.append(cls)
        class Find(Task):
            def run(self): return read("1")
        def handler(event, context): return [one().run() for one in Task.known]
        """,
        {"read"},
    ),
    "all classes with a base": (
        """
        class Task: pass
        class Find(Task):
            def run(self): return read("1")
        def handler(event, context): return [one().run() for one in Task.__subclasses__()]
        """,
        {"read"},
    ),
    "the members of an enumeration": (
        """
        from enum import Enum, StrEnum
        from functools import partial
        class Action(Enum):
            FIND = (read, partial(read))
        class Word(StrEnum):
            FIND = "find"
            def run(self): return browse("1")
        def handler(event, context): return Action[event].value[0]("1"), Word(event).run()
        """,
        {"read", "browse"},
    ),
    "a name that is known": (
        """
        import operator
        class Notes:
            def find(self): return read("1")
            def list(self): return browse("1")
            def other(self): return drop("1")
        def handler(event, context):
            return getattr(Notes(), "find"), operator.methodcaller("list")(Notes())
        """,
        {"read", "browse"},
    ),
    "a computed name of a class that is known": (
        """
        class Notes:
            note_id = "1"
            def find(self): return read("1")
            def list(self): return browse("1")
        class Files:
            def find(self): return drop("1")
        def go(notes: Notes, name: str): return getattr(notes, name)()
        def handler(event, context): return go(Notes(), event), Files()
        """,
        {"read", "browse"},
    ),
    "a computed name of an object that exists": (
        """
        class Services: pass
        services = Services()
        services.look, services.list = read, browse
        def handler(event, context): return getattr(services, event)("1")
        """,
        {"read", "browse"},
    ),
    "a module that is imported by its name": (
        """
        from importlib import import_module
        def handler(event, context): return import_module("design").read("1")
        """,
        {"read"},
    ),
    "a variable that is set later": (
        """
        class Notes:
            def find(self): return read("1")
        service = None
        def handler(event, context):
            global service
            service = service or Notes()
            return service.find()
        """,
        {"read"},
    ),
    "a generator and a class within a function": (
        """
        def handler(event, context):
            class Local:
                def find(self): return read("1")
            def each():
                yield browse("1")
            return Local().find(), list(each())
        """,
        {"read", "browse"},
    ),
    "a class of a library that calls what is replaced": (
        """
        import json
        import threading
        class Encoder(json.JSONEncoder):
            def default(self, value): return read("1")
        class Work(threading.Thread):
            def run(self): browse("1")
        def handler(event, context):
            Work().start()
            return json.dumps(event, cls=Encoder)
        """,
        {"read", "browse"},
    ),
    "a class of a library that calls by computed names": (
        """
        import ast
        class Visitor(ast.NodeVisitor):
            def visit_Name(self, node): return read("1")
        def handler(event, context): return Visitor().visit(ast.parse(event))
        """,
        {"read"},
    ),
    "an object that only a library calls": (
        """
        import concurrent.futures
        class Task:
            def work(self): return read("1")
        def handler(event, context):
            with concurrent.futures.ThreadPoolExecutor() as pool:
                pool.submit(Task())
        """,
        {"read"},
    ),
    "an object of a library that holds functions": (
        """
        import sched
        plan = sched.scheduler()
        def later(): return read("1")
        plan.enter(1, 1, later)
        def handler(event, context): plan.run()
        """,
        {"read"},
    ),
    "a logger with a handler": (
        """
        import logging
        class Stores(logging.Handler):
            def emit(self, record): add(record)
        log = logging.Logger("notes")
        log.addHandler(Stores())
        def handler(event, context): log.info("hello")
        """,
        {"add"},
    ),
    "a weak reference": (
        """
        import weakref
        def later(): return read("1")
        seen = weakref.ref(later)
        def handler(event, context): return seen()()
        """,
        {"read"},
    ),
    "an operation that was made on import": (
        """
        FIRST = read("1")
        def handler(event, context, db=None): return db(FIRST)
        """,
        {"read"},
    ),
    "a call when the module is imported": (
        """
        from sortkey import DB
        class Config:
            def __init__(self): self.value = DB.memory(App)(browse("1"))
        def load(db):
            def unused(): return drop("1")
            return db(read("1"))
        FOUND, CONFIG = load(DB.memory(App)), Config()
        if __name__ == "__main__":
            drop("1")
        def handler(event, context): return FOUND
        """,
        {"read", "browse"},
    ),
    "no call when a module names patterns": (
        """
        TABLE = {"drop": drop}
        def made(): return lambda: add
        MADE = made()
        def handler(event, context): return read("1")
        """,
        {"read"},
    ),
    "an observer of the database": (
        """
        from sortkey import DB
        class Observer:
            def on_call(self, call): add(call)
        def handler(event, context): return DB.memory(App, observers=[Observer()])
        """,
        {"add"},
    ),
    "an attribute of a function": (
        """
        def handler(event, context): return handler.look("1")
        handler.look = read
        """,
        {"read"},
    ),
    "a declaration that names patterns": (
        """
        from design import run
        def handler(event, context): return run.name, read("1")
        """,
        {"read"},
    ),
    "a constructor of a base class, and not of others": (
        """
        class Base:
            def __init__(self): self.look = lambda: read("1")
        class Notes(Base):
            def __init__(self): super().__init__()
        class Store:
            def __init__(self): self.look = lambda: drop("1")
        store = Store()
        def handler(event, context): return Notes().look(), store
        """,
        {"read"},
    ),
    "a decorated constructor": (
        """
        def logged(function):
            def logging(*given): return function(*given)
            return logging
        class Base: pass
        class Notes(Base):
            @logged
            def __init__(self):
                super().__init__()
                read("1")
        class Store:
            def __init__(self): self.look = lambda: drop("1")
        store = Store()
        def handler(event, context): return Notes(), store
        """,
        {"read"},
    ),
    "a decorated method that calls super": (
        """
        def logged(function):
            def logging(*given): return function(*given)
            return logging
        class Base:
            def look(self): return read("1")
        class Notes(Base):
            @logged
            def look(self): return super().look()
            @logged
            def list(self): return super(Notes, self).look()
        def handler(event, context): return Notes().look()
        """,
        {"read"},
    ),
    "a method of a base class by way of super, and not of others": (
        """
        class Base:
            def look(self): return read("1")
        class Notes(Base):
            def look(self): return super().look()
        class Files:
            def look(self): return drop("1")
        files = Files()
        def handler(event, context):
            notes = Notes()
            return notes.look(), files
        """,
        {"read"},
    ),
    "a constructor of a base class": (
        """
        class Base:
            def __init__(self): self.look = lambda: read("1")
        class Notes(Base):
            def __init__(self): super().__init__()
        def handler(event, context): return Notes().look()
        """,
        {"read"},
    ),
    "a slot": (
        """
        class Services:
            __slots__ = ("look", "other")
        services = Services()
        services.look, services.other = read, drop
        def handler(event, context): return services.look("1")
        """,
        {"read"},
    ),
    "a descriptor": (
        """
        class Looks:
            def __get__(self, instance, owner): return read
        class Service:
            look = Looks()
        def handler(event, context): return Service().look("1")
        """,
        {"read"},
    ),
    "an object that passes everything on": (
        """
        class Notes:
            def find(self): return read("1")
        class Proxy:
            def __init__(self, inner): self._inner = inner
            def __getattr__(self, name): return getattr(self._inner, name)
        notes = Proxy(Notes())
        def handler(event, context): return notes.find()
        """,
        {"read"},
    ),
    "a decision": (
        """
        from sortkey import DB
        def handler(event, context):
            db = DB.memory(App)
            def decision():
                db(read("1"))
                return drop("1")
            return db.decide(decision)
        """,
        {"read", "drop"},
    ),
}


@pytest.mark.parametrize("case", REACHED)
def test_a_handler_can_use_what_it_reaches_by(case: str, tmp_path: Path) -> None:
    code, expected = REACHED[case]

    found = program(tmp_path, code, imports=IMPORTS)

    assert found.fault is None
    assert names(found) == expected


def test_what_a_function_imports_may_register_itself(tmp_path: Path) -> None:
    (tmp_path / "later.py").write_text(
        "import app\nfrom design import read\napp.plan.enter(1, 1, lambda: read('1'))"
    )
    code = """
    import sched
    plan = sched.scheduler()
    def handler(event, context):
        plan.run()
        import later
    """

    assert names(program(tmp_path, code)) == {"read"}


def test_no_attribute_of_an_object_of_a_library_is_read(tmp_path: Path) -> None:
    # pytest refuses every mark that is not configured.
    code = """
    import pytest
    def handler(event, context): return read("1") if pytest.mark else None
    """

    # pytest also holds the tests of this process, and what they use.
    assert "read" in names(program(tmp_path, code, imports=IMPORTS))
