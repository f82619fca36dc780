"""The details that aspects measured, calculated and explored, in lines within 80 columns."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sortkey.cli.text.layout import wrapped
from sortkey.prove.formats.blocks import TextBlock, called_block, stored_block
from sortkey.prove.growth import Class, Growth
from sortkey.prove.invariants import Course
from sortkey.prove.safety import Explored
from sortkey.prove.scale import KeyScaling
from sortkey.prove.verdict import Detail, ProofOutcome, Verdict
from sortkey.wording.prose import counted, sentence

_MOST_KEYS = 5
_LONGEST_KEY = 38
_SHORT = {9: "B", 6: "M", 3: "k"}


def detail_lines(
    detail: Detail | None, outcome: ProofOutcome, *, every: bool = False
) -> Iterator[str]:
    """Yield the lines below one verdict; with ``every``, each race by itself."""
    match detail:
        case Growth():
            yield from _growth(detail, outcome)
        case KeyScaling():
            yield from _scaling(detail, outcome)
        case Explored():
            yield from _explored(detail, every=every)
        case Course():
            yield from _course(detail)
        case _:
            return


def block_lines(blocks: Iterable[TextBlock]) -> Iterator[str]:
    """Yield the lines of titled blocks, each below its title."""
    for block in blocks:
        yield f"    {block.title}"
        for line in block.lines:
            text = line.lstrip()
            yield from wrapped(text, 8 + len(line) - len(text), 4)


def _growth(growth: Growth, outcome: ProofOutcome) -> Iterator[str]:
    if outcome is ProofOutcome.REFUTED:
        example = growth.example
        yield from block_lines(stored_block(example.records))
        yield from block_lines(called_block(example.pattern.name, [example.arguments]))
    if outcome is ProofOutcome.PROVED:
        yield from wrapped(sentence(growth.summary), 4, 0)
    if growth.acknowledged:
        yield from wrapped(sentence(f"Acknowledged: {growth.acknowledged}"), 4, 0)


def _scaling(scaling: KeyScaling, outcome: ProofOutcome) -> Iterator[str]:
    if scaling.acknowledged:
        yield from wrapped(sentence(f"Acknowledged: {scaling.acknowledged}"), 4, 0)
    if scaling.columns[-1].share:
        # The reason of a refutation already mentions the split.
        split = "" if outcome is ProofOutcome.REFUTED else f"; {scaling.split}"
        yield from wrapped(f"{_ceiling(scaling)}{split}.", 4, 0)


def _ceiling(scaling: KeyScaling) -> str:
    if scaling.users_at_ceiling is not None:
        return f"One key serves {scaling.users_at_ceiling:,} users"
    if scaling.ceiling < scaling.columns[-1].users:
        return f"One key serves {scaling.ceiling:,.1f} times the declared rates"
    return "The load of a key does not grow with the number of users"


def _explored(explored: Explored, *, every: bool) -> Iterator[str]:
    raced = dict.fromkeys(race.what for race in explored.races)
    if not every and len(raced) > 1:
        total = counted(sum(race.schedules for race in explored.races), "schedule")
        yield f"    raced {len(raced)} pairs of calls: {total} (--verbose lists them)"
        raced.clear()
    for what in raced:
        schedules = sum(race.schedules for race in explored.races if race.what == what)
        yield from wrapped(f"raced {what}: {counted(schedules, 'schedule')}", 4, 4)
    yield from block_lines(stored_block(explored.records))
    yield from explored.story.splitlines()


def _course(course: Course) -> Iterator[str]:
    if course.calls:
        yield from block_lines([TextBlock("written", tuple(course.written))])
    yield from block_lines(stored_block(course.records))


def growth_sum(verdicts: Sequence[Verdict]) -> str:
    """Return the number of patterns in each growth class."""
    classes = Counter(v.detail.grows for v in verdicts if isinstance(v.detail, Growth))
    counts = {each: classes[each] for each in reversed(Class) if classes[each]}
    return ", ".join(
        f"{count} {'' if each is Class.CONSTANT else 'growing '}{each.value}"
        for each, count in counts.items()
    )


def scale_table(verdicts: Sequence[Verdict], *, every: bool) -> Iterator[str]:
    """Yield a table of the hottest keys: their load as a share of the limit, as users grow."""
    known = [(v.subject, v.detail) for v in verdicts if isinstance(v.detail, KeyScaling)]
    rising = sorted(
        ((name, scaling) for name, scaling in known if scaling.ceiling < scaling.columns[-1].users),
        key=lambda pair: pair[1].ceiling,
    )
    if not rising:
        return
    columns = rising[0][1].columns
    of_users = rising[0][1].users is not None
    heads = [f"{'' if of_users else 'x'}{_short(column.users)}" for column in columns]
    yield ""
    yield f"{'hottest keys, share of the key limit':<{_LONGEST_KEY}}" + "".join(
        f"{head:>7}" for head in heads
    )
    for name, scaling in rising if every else rising[:_MOST_KEYS]:
        shares = "".join(f"{_percent(column.share):>7}" for column in scaling.columns)
        yield f"{_cut(name):<{_LONGEST_KEY}}{shares}"
    if not every and len(rising) > _MOST_KEYS:
        yield f"and {len(rising) - _MOST_KEYS} more (--verbose lists them)"


def _short(number: int) -> str:
    for power, letter in _SHORT.items():
        if number >= 10**power:
            return f"{number // 10**power}{letter}"
    return str(number)


def _percent(share: float) -> str:
    if share >= 100:  # noqa: PLR2004 - a hundred times
        return f"x{_short(int(share))}"
    return f"{share:.0%}"


def _cut(name: str) -> str:
    return name if len(name) < _LONGEST_KEY else f"{name[: _LONGEST_KEY - 2]}…"
