"""Code that hides what it calls: in each case, a walk of names could miss a pattern."""

from pathlib import Path

import pytest
from tests.programs.application import names, program

IMPORTS = "from design import App, Note, add, browse, drop, read\n"

HIDDEN: dict[str, tuple[str, set[str]]] = {
    "a partial method": (
        """
        from functools import partialmethod
        class N:
            def _go(self, p): return p("1")
            go = partialmethod(_go, read)
        def handler(event, context): return N().go()
        """,
        {"read"},
    ),
    "a generic method by type": (
        """
        from functools import singledispatchmethod
        class N:
            @singledispatchmethod
            def go(self, x): return read("1")
            @go.register
            def _(self, x: int): return browse("1")
        def handler(event, context): return N().go(1)
        """,
        {"read", "browse"},
    ),
    "a context variable": (
        """
        from contextvars import ContextVar
        current = ContextVar("current", default=read)
        def handler(event, context): return current.get()("1")
        """,
        {"read"},
    ),
    "arguments that are unpacked": (
        """
        def go(*fs): return [f("1") for f in fs]
        def handler(event, context): return go(*[read], *(browse,))
        """,
        {"read", "browse"},
    ),
    "a method of one of two objects": (
        """
        class A:
            def go(self): return read("1")
        class B:
            def go(self): return browse("1")
        def handler(event, context): return (A() if event else B()).go()
        """,
        {"read", "browse"},
    ),
    "fields of a named tuple, which are elements too": (
        """
        from typing import NamedTuple, Callable
        class S(NamedTuple):
            look: Callable
            other: Callable
        s = S(read, drop)
        def handler(event, context): return s.look("1")
        """,
        {"read", "drop"},
    ),
    "a metaclass that is called": (
        """
        class M(type):
            def __call__(cls): return read("1")
        class A(metaclass=M): pass
        def handler(event, context): return A()
        """,
        {"read"},
    ),
    "a property that is set": (
        """
        class A:
            @property
            def x(self): return 1
            @x.setter
            def x(self, v): read(v)
        def handler(event, context):
            a = A()
            a.x = 1
        """,
        {"read"},
    ),
    "a descriptor that is set": (
        """
        class D:
            def __set__(self, i, v): read(v)
        class A:
            x = D()
        def handler(event, context):
            a = A()
            a.x = 1
        """,
        {"read"},
    ),
    "a table of a subclass": (
        """
        class Base:
            def run(self): return self.table["a"]("1")
        class A(Base):
            table = {"a": read}
        def handler(event, context): return A().run()
        """,
        {"read"},
    ),
    "an object of a context manager": (
        """
        from contextlib import contextmanager
        class N:
            def find(self): return read("1")
        @contextmanager
        def opened(): yield N()
        def handler(event, context):
            with opened() as n:
                return n.find()
        """,
        {"read"},
    ),
    "a variable of an outer function": (
        """
        def make():
            f = None
            def set_():
                nonlocal f
                f = read
            def run(event, context):
                set_()
                return f("1")
            return run
        handler = make()
        """,
        {"read"},
    ),
    "an item getter": (
        """
        from operator import itemgetter
        T = {"a": read}
        def handler(event, context): return itemgetter("a")(T)("1")
        """,
        {"read"},
    ),
    "an asynchronous generator": (
        """
        import asyncio
        async def each():
            yield read("1")
        async def main(): return [x async for x in each()]
        def handler(event, context): return asyncio.run(main())
        """,
        {"read"},
    ),
    "a class within a class": (
        """
        class Outer:
            class Inner:
                def go(self): return read("1")
        def handler(event, context): return Outer.Inner().go()
        """,
        {"read"},
    ),
    "a class as an attribute": (
        """
        class Inner:
            def go(self): return read("1")
        class Outer:
            kind = Inner
            def run(self): return self.kind().go()
        def handler(event, context): return Outer().run()
        """,
        {"read"},
    ),
    "an attribute with an annotation": (
        """
        class Notes:
            def delete(self): return read("1")
        class Files:
            def delete(self): return drop("1")
        class Service:
            notes: Notes
            def __init__(self, files: Files): self.notes = Notes(); self.files = files
            def run(self): return self.notes.delete()
        def handler(event, context): return Service(Files()).run()
        """,
        {"read"},
    ),
    "a private attribute of an annotated argument": (
        """
        class Notes:
            def delete(self): return read("1")
        class Files:
            def delete(self): return drop("1")
        class Service:
            def __init__(self, notes: Notes, files: Files):
                self._notes = notes
                self._files = files
            def run(self): return self._notes.delete()
        def handler(event, context): return Service(Notes(), Files()).run()
        """,
        {"read"},
    ),
    "an attribute that two methods set": (
        """
        class Notes:
            def delete(self): return read("1")
        class Files:
            def delete(self): return drop("1")
        class Service:
            def __init__(self, notes: Notes):
                self.it = notes
            def swap(self): self.it = Files()
            def run(self): return self.it.delete()
        def handler(event, context):
            s = Service(Notes())
            s.swap()
            return s.run()
        """,
        {"read", "drop"},
    ),
    "a private attribute that two methods set": (
        """
        class Notes:
            def delete(self): return read("1")
        class Files:
            def delete(self): return drop("1")
        class Service:
            def __init__(self, notes: Notes):
                self._it = notes
            def swap(self): self._it, self._other = Files(), None
            def run(self): return self._it.delete()
        def handler(event, context):
            service = Service(Notes())
            service.swap()
            return service.run()
        """,
        {"read", "drop"},
    ),
    "an attribute that another function sets": (
        """
        class Notes:
            def delete(self): return read("1")
        class Files:
            def delete(self): return drop("1")
        class Service:
            def __init__(self): self.it = Notes()
            def run(self): return self.it.delete()
        def handler(event, context):
            s = Service()
            s.it = Files()
            return s.run()
        """,
        {"read", "drop"},
    ),
    "a variable of a nested function with the same name": (
        """
        class Notes:
            def delete(self): return read("1")
        class Files:
            def delete(self): return drop("1")
        def handler(event, context):
            x = Notes()
            def inner(x): return x.delete()
            return inner(Files())
        """,
        {"read", "drop"},
    ),
    "a variable that is set twice": (
        """
        class Notes:
            def delete(self): return read("1")
        class Files:
            def delete(self): return drop("1")
        def handler(event, context):
            x = Notes()
            for x in [Files()]:
                x.delete()
        """,
        {"read", "drop"},
    ),
    "a registry in a default value": (
        """
        def register(f, known=[]):
            known.append(f)
            return f
        @register
        def a(): return read("1")
        def handler(event, context): return [f() for f in register.__defaults__[0]]
        """,
        {"read"},
    ),
    "a class made by type": (
        """
        def find(self): return read("1")
        Made = type("Made", (), {"find": find})
        def handler(event, context): return Made().find()
        """,
        {"read"},
    ),
    "a class made by type in the handler": (
        """
        def handler(event, context):
            made = type("Made", (), {"find": lambda self: read("1")})
            return made().find()
        """,
        {"read"},
    ),
    "a result with the annotation of a base class": (
        """
        class Base:
            def go(self): raise NotImplementedError
        class Impl(Base):
            def go(self): return read("1")
        IMPLS = {"a": Impl()}
        def get(name) -> Base: return IMPLS[name]
        def handler(event, context): return get("a").go()
        """,
        {"read"},
    ),
    "an optional result": (
        """
        from typing import Optional
        class N:
            def go(self): return read("1")
        def get() -> "Optional[N]": return N()
        def handler(event, context):
            n = get()
            return n.go() if n else None
        """,
        {"read"},
    ),
    "an annotation that does not exist": (
        """
        class N:
            def go(self): return read("1")
        def run(n: "Unknown"): return n.go()
        def handler(event, context): return run(N())
        """,
        {"read"},
    ),
    "an annotation with a type variable": (
        """
        from typing import TypeVar
        T = TypeVar("T")
        class N:
            def go(self): return read("1")
        def run(n: T) -> T: return n.go()
        def handler(event, context): return run(N())
        """,
        {"read"},
    ),
    "an annotation of a class itself": (
        """
        class N:
            @classmethod
            def go(cls): return read("1")
        def run(n: type[N]): return n.go()
        def handler(event, context): return run(N)
        """,
        {"read"},
    ),
    "a class with another name": (
        """
        class N:
            @staticmethod
            def go(): return read("1")
        def handler(event, context):
            k = N
            return k.go()
        """,
        {"read"},
    ),
    "a table of modules": (
        """
        import design
        M = {"d": design}
        def handler(event, context): return M["d"].read("1")
        """,
        {"read"},
    ),
    "the function that a decorator hides": (
        """
        from functools import wraps
        def deco(f):
            @wraps(f)
            def w(*a): return None
            return w
        @deco
        def find(): return read("1")
        def handler(event, context): return find.__wrapped__()
        """,
        {"read"},
    ),
    "an iterator": (
        """
        class It:
            def __iter__(self): return self
            def __next__(self): return read("1")
        def handler(event, context): return [x for x in It()]
        """,
        {"read"},
    ),
    "operators": (
        """
        class A:
            def __add__(self, o): return read("1")
            def __lt__(self, o): return browse("1")
        def handler(event, context): return A() + 1, A() < 2
        """,
        {"read", "browse"},
    ),
    "a method of an exception": (
        """
        class Oops(Exception):
            def tell(self): return read("1")
        def handler(event, context):
            try: raise Oops
            except Oops as e: return e.tell()
        """,
        {"read"},
    ),
    "attributes that a match statement reads": (
        """
        class A:
            __match_args__ = ("x",)
            @property
            def x(self): return read("1")
        def handler(event, context):
            match A():
                case A(x=1): return 1
                case A(2): return 2
        """,
        {"read"},
    ),
    "an attribute that is set by its name": (
        """
        class A: pass
        def handler(event, context):
            a = A()
            setattr(a, "go", read)
            return a.go("1")
        """,
        {"read"},
    ),
    "an object in a namespace": (
        """
        from types import SimpleNamespace
        ns = SimpleNamespace(repo=None)
        class R:
            def find(self): return read("1")
        ns.repo = R()
        def handler(event, context): return ns.repo.find()
        """,
        {"read"},
    ),
    "an object in a namespace of the handler": (
        """
        from types import SimpleNamespace
        class R:
            def find(self): return read("1")
        def handler(event, context):
            ns = SimpleNamespace(repo=R(), look=browse)
            return ns.repo.find(), ns.look("1")
        """,
        {"read", "browse"},
    ),
    "an object of a thread": (
        """
        import threading
        l = threading.local()
        class R:
            def find(self): return read("1")
        def handler(event, context):
            l.r = R()
            return l.r.find()
        """,
        {"read"},
    ),
    "a queue of functions": (
        """
        import queue
        q = queue.Queue()
        q.put(read)
        def handler(event, context): return q.get()("1")
        """,
        {"read"},
    ),
    "a lazy map": (
        """
        m = map(lambda x: read(x), ["1"])
        def handler(event, context): return list(m)
        """,
        {"read"},
    ),
    "a dictionary with methods": (
        """
        class R(dict):
            def find(self, k): return self[k]("1")
        r = R(a=read)
        def handler(event, context): return r.find("a")
        """,
        {"read"},
    ),
    "dictionaries with defaults": (
        """
        from collections import UserDict, defaultdict
        class R(UserDict):
            def __missing__(self, k): return read
        r = R()
        d = defaultdict(lambda: browse)
        def handler(event, context): return r["a"]("1"), d["x"]("1")
        """,
        {"read", "browse"},
    ),
    "a callback": (
        """
        from contextlib import ExitStack
        def later(): return read("1")
        def handler(event, context):
            with ExitStack() as s:
                s.callback(later)
        """,
        {"read"},
    ),
    "a weak method": (
        """
        import weakref
        class A:
            def go(self): return read("1")
        a = A()
        m = weakref.WeakMethod(a.go)
        def handler(event, context): return m()()
        """,
        {"read"},
    ),
    "weak values": (
        """
        import weakref
        def go(): return read("1")
        d = weakref.WeakValueDictionary(a=go)
        def handler(event, context): return d["a"]()
        """,
        {"read"},
    ),
    "a generic class": (
        """
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class N:
            def find(self): return read("1")
        class Box(Generic[T]):
            def __init__(self, value: T): self.value = value
            def open(self): return self.value.find()
        def handler(event, context): return Box[N](N()).open()
        """,
        {"read"},
    ),
    "keyword arguments that are kept": (
        """
        class Base:
            def __init__(self, **k): self.k = k
            def run(self): return self.k["f"]("1")
        def handler(event, context): return Base(f=read).run()
        """,
        {"read"},
    ),
    "a class registered with an abstract one": (
        """
        from abc import ABC
        class B(ABC):
            pass
        @B.register
        class N:
            def go(self): return read("1")
        def run(b: B): return b.go()
        def handler(event, context): return run(N())
        """,
        {"read"},
    ),
    "two lambdas of one line": (
        """
        a, b = (lambda x: read(x)), (lambda x, y=getattr: y(x, "find"))
        def handler(event, context): return a("1")
        """,
        {"read"},
    ),
    "an object that looks all attributes up in another one": (
        """
        class Notes:
            def find(self): return read("1")
        class Proxy:
            inner = Notes()
            def __getattribute__(self, name):
                return object.__getattribute__(type(self).inner, name)
        def go(notes: Proxy): return notes.find()
        def handler(event, context): return go(Proxy())
        """,
        {"read"},
    ),
    "an annotation of a weak proxy": (
        """
        import weakref
        class Notes:
            def find(self): return read("1")
        def go(notes: weakref.ProxyType): return notes.find()
        def handler(event, context): return go(weakref.proxy(Notes()))
        """,
        {"read"},
    ),
    "a weak proxy": (
        """
        import weakref
        class A:
            def go(self): return read("1")
        a = A()
        p = weakref.proxy(a)
        def handler(event, context): return p.go()
        """,
        {"read"},
    ),
    "a bus of events": (
        """
        class Bus:
            def __init__(self): self.subs = {}
            def on(self, n):
                def deco(f):
                    self.subs.setdefault(n, []).append(f)
                    return f
                return deco
            def emit(self, n): return [f("1") for f in self.subs[n]]
        bus = Bus()
        @bus.on("x")
        def h(x): return read(x)
        def handler(event, context): return bus.emit("x")
        """,
        {"read"},
    ),
}


@pytest.mark.parametrize("case", HIDDEN)
def test_a_pattern_is_found_behind(case: str, tmp_path: Path) -> None:
    code, expected = HIDDEN[case]

    found = program(tmp_path, code, imports=IMPORTS)

    assert found.fault is None
    assert names(found) == expected


def test_a_pattern_is_found_behind_a_member_that_its_module_makes(tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text(
        "import design\n"
        "def __getattr__(name):\n"
        "    if name == 'find':\n"
        "        return lambda: design.read('1')\n"
        "    raise AttributeError(name)\n"
    )

    found = program(tmp_path, "import lazy\ndef handler(event, context): return lazy.find()")

    assert names(found) == {"read"}
