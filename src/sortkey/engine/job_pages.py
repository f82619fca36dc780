"""Lists of jobs, a page at a time."""

from collections.abc import Iterable, Sequence

from sortkey.engine.jobs import Job
from sortkey.wire.errors import ValidationException

# The lengths of tokens that DynamoDB's clients accept: a multiple of 16, and at least 112.
_STEP = 16
_SHORTEST = 112


def latest_first(jobs: Iterable[Job]) -> list[Job]:
    """Return jobs of any table by their time."""
    return sorted(jobs, key=lambda job: job.arn.rpartition("/")[2], reverse=True)


def page_of(jobs: Sequence[Job], most: int, token: str | None) -> tuple[Sequence[Job], str | None]:
    """Return the jobs after the one that a token names, and the token of the next page, if any."""
    start = 0
    if token is not None:
        last = _arn_in(token)
        places = [place for place, job in enumerate(jobs) if job.arn == last]
        if not places:
            raise ValidationException("Invalid NextToken")
        start = places[0] + 1
    page = jobs[start : start + most]
    return page, _token_of(page[-1]) if start + most < len(jobs) else None


def _token_of(job: Job) -> str:
    text = job.arn.encode().hex()
    return text.ljust(max(_SHORTEST, -(-len(text) // _STEP) * _STEP), "0")


def _arn_in(token: str) -> str:
    return bytes.fromhex(token).rstrip(b"\0").decode(errors="replace")
