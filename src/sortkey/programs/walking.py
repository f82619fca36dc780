"""From a design to its programs: each handler is imported, and its code walked."""

import inspect
import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.functions import Function
from sortkey.design.declaring.loader import LoadError, application_of
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.declaring.services import Setting
from sortkey.programs.importing import used_on_import
from sortkey.programs.ownership import Ownership
from sortkey.programs.program import Use, WalkedProgram
from sortkey.programs.walk import Reached, Walker
from sortkey.wording.prose import a
from sortkey.wording.spelling import meant_by


def programs_of(design: Design) -> tuple[WalkedProgram, ...]:
    """Import the handlers of a design's functions, and return what each of them can use.

    This runs the code of the application's modules. A handler that cannot be imported, or not be
    called by Lambda, is a fault of its program.
    """
    names = (each.handler.partition(":")[0] for each in design.functions)
    walker = Walker(Ownership((*names, *(one.__name__ for one in design.modules))))
    with application_of(design) as import_module, _variables_of(design):
        return tuple(_program(each, design, import_module, walker) for each in design.functions)


@contextmanager
def _variables_of(design: Design) -> Generator[None]:
    """Within the block, set the variables that modules may read when they are imported.

    A database that is opened then is in memory, so that nothing is sent to AWS.
    """
    known = {
        "ENVIRONMENT": next(iter(design.about.environments), "dev"),
        "SORTKEY_TARGET": "memory",
    }
    for function in design.functions:
        verifying = (one for api in function.apis for one in (api.issuer, api.audience))
        declared = (*function.settings, *verifying)
        for setting in (one for one in declared if isinstance(one, Setting)):
            known |= {setting.variable: setting.default} if setting.default is not None else {}
        for name, value in function.environment.items():
            text = value.default if isinstance(value, Setting) else value
            known |= {name: text} if text is not None else {}
    added = {name: text for name, text in known.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _program(
    function: Function,
    design: Design,
    import_module: Callable[[str], ModuleType],
    walker: Walker,
) -> WalkedProgram:
    name, _, member = function.handler.partition(":")
    try:
        module = import_module(name)
    except LoadError as error:
        return WalkedProgram(function, fault=f"importing it failed: {error}")
    handler = getattr(module, member, None)
    fault = _missing(module, member) if handler is None else _uncallable(handler)
    if fault is not None:
        return WalkedProgram(function, fault=fault)
    reached = walker.walked(handler, f"{name.rpartition('.')[2]}.{member}")
    for use in used_on_import(module, walker.ours):
        reached.uses.setdefault(id(use.pattern), use)
    return _judged(function, reached, design.patterns)


def _missing(module: ModuleType, member: str) -> str:
    meant = meant_by(member, vars(module))
    hint = "" if meant is None else f" (did you mean {meant}?)"
    return f"{module.__name__} has no {member}{hint}"


def _uncallable(handler: object) -> str | None:
    """Return the reason why Lambda cannot call a handler, if there is one."""
    if not callable(handler):
        return f"it is {a(type(handler).__name__)}, which cannot be called"
    called = handler if inspect.isroutine(handler) else type(handler).__call__
    if any(map(inspect.iscoroutinefunction, (handler, called))):
        return "it is a coroutine function, which Lambda does not await"
    kinds = (inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    if any(is_one(each) for is_one in kinds for each in (handler, called)):
        return "it is a generator, which Lambda does not run"
    try:
        inspect.signature(handler, follow_wrapped=False).bind({}, None)
    except TypeError:
        return "it cannot be called with an event and a context"
    except ValueError:  # a function in C without a signature
        return None
    return None


def _judged(
    function: Function, reached: Reached, patterns: Iterable[Pattern[..., Any]]
) -> WalkedProgram:
    """Return a program with the design's own patterns.

    A design that is a file may be imported a second time by the application, under its own name.
    """
    own = {_identity(pattern): pattern for pattern in patterns}
    named = {pattern.name: pattern for pattern in own.values()}

    def owned(use: Use) -> Use:
        return Use(own.get(_identity(use.pattern), use.pattern), use.chain)

    found = [owned(use) for use in reached.uses.values()]
    found += [Use(named[n], chain) for n, (chain, _) in reached.made.items() if n in named]
    unjudged = [
        one if one.use is None else replace(one, use=owned(one.use)) for one in reached.unjudged
    ]
    unjudged += [one for name, (_, one) in reached.made.items() if name not in named]
    uses = {id(use.pattern): use for use in reversed(found)}
    return WalkedProgram(function, tuple(reversed(uses.values())), tuple(unjudged))


def _identity(pattern: Pattern[..., Any]) -> tuple[object, ...]:
    return (pattern.name, pattern.title, pattern.source)
