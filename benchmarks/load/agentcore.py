"""AgentCore under load: users who chat while costs are recorded and administrators assign tiers."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from benchmarks.load.crowd import Read, Visit, least_to_most
from sortkey import DB
from sortkey_systems.agentcore import conversing
from sortkey_systems.agentcore.api_models import DEMO_REDIRECT_URI
from sortkey_systems.agentcore.assigning import assign, reassign, unassign
from sortkey_systems.agentcore.checking import check_quota
from sortkey_systems.agentcore.defining import define_tier, delete_tier, set_default_tier
from sortkey_systems.agentcore.design.events import EventType, QuotaEvent
from sortkey_systems.agentcore.design.quotas import (
    ActionOnLimit,
    Assignment,
    AssignmentType,
    QuotaConfig,
    QuotaTier,
    TierTerms,
)
from sortkey_systems.agentcore.design.sessions import (
    CostRecord,
    DeletedSession,
    Session,
    active_sessions,
)
from sortkey_systems.agentcore.design.sign_in import SignInState
from sortkey_systems.agentcore.design.summaries import CostSummary, day_of, month_of
from sortkey_systems.agentcore.errors import AgentCoreError
from sortkey_systems.agentcore.recording import Cost, record_cost
from sortkey_systems.agentcore.resolving import Person
from sortkey_systems.agentcore.signing_in import begin_sign_in, finish_sign_in

PEOPLE = 400
TIERS = 4
# The soft limit, 90 % and 100 %: a user gets at most one warning an hour for each.
THRESHOLDS = 3

_ADMIN, _CHAT, _SIGN_IN = (frozenset({role}) for role in ("admin", "chat", "sign-in"))
_WHAT = {
    "message": 26,
    "cost": 24,
    "sessions": 12,
    "check": 12,
    "assign": 8,
    "start": 7,
    "sign in": 6,
    "edit": 3,
    "delete": 2,
}
_TERMS = [
    TierTerms(
        tier_name=f"Tier {number}",
        monthly_cost_limit=Decimal(2 * number + 2),
        action_on_limit=ActionOnLimit.WARN if number % 2 else ActionOnLimit.BLOCK,
    )
    for number in range(TIERS)
]


class AgentCore:
    """Users with a few sessions each, sometimes on two devices; some costs are sent twice."""

    system = "agentcore"
    refusals = AgentCoreError

    def __init__(self) -> None:
        self._began = datetime.now(UTC)
        self._sessions: dict[str, list[str]] = defaultdict(list)
        self._assigned: dict[str, str] = {}
        self._deleted: list[int] = []
        self._states: list[str] = []
        # The successful calls, as reported to their callers.
        self._messages: list[str] = []
        # Those of calls that failed: they may be counted too.
        self._doubtful: list[str] = []
        self._finished: list[str] = []
        self._costs: list[str] = []

    def prepare(self, db: DB) -> None:
        """Create the tiers, a default tier, and one session for the costs of each user."""
        for number in range(TIERS):
            define_tier(db, f"tier{number}", _TERMS[number], by="root")
        set_default_tier(db, "tier0")
        for number in range(PEOPLE):
            session = Session(
                user_id=f"user{number}",
                session_id=_costly_session(number),
                title="Costs",
                created_at=self._began,
                last_message_at=self._began,
            )
            db(session.create())

    def visit(self, chance: Random) -> Visit:
        """Return a visit, mostly messages and their costs."""
        who = f"user{int(PEOPLE * chance.random() ** 2)}"
        ways: dict[str, Callable[[str, Random], Visit]] = {
            "cost": self._cost,
            "assign": self._assign,
            "sign in": self._sign_in,
            "check": self._check,
            "sessions": self._list,
            "start": self._start,
        }
        what = chance.choices([*_WHAT], [*_WHAT.values()])[0]
        if what in ways:
            return ways[what](who, chance)
        return self._of_session(what, who, chance)

    def _check(self, who: str, _chance: Random) -> Visit:
        person = Person(who)
        return Visit("check", who, "POST", "/quota/checks", lambda db: check_quota(db, person))

    def _list(self, who: str, _chance: Random) -> Visit:
        return Visit("sessions", who, "GET", "/sessions", lambda db: db(active_sessions(who)))

    def _cost(self, _who: str, chance: Random) -> Visit:
        """Record a cost; some are sent twice, perhaps at the same time."""
        number = chance.randrange(20 * PEOPLE)
        if self._costs and chance.random() < 0.2:
            number = int(chance.choice(self._costs[-50:]))
        cost = _the_cost(self._began, number)
        body = {
            "user_id": cost.user_id,
            "record_id": cost.record_id,
            "timestamp": cost.timestamp.isoformat(),
            "session_id": cost.session_id,
            "message_id": cost.message_id,
            "cost_micros": cost.cost_micros,
            "input_tokens": cost.input_tokens,
            "output_tokens": cost.output_tokens,
            "model_id": cost.model_id,
        }
        return Visit(
            "cost",
            "chat",
            "POST",
            "/costs",
            lambda db: record_cost(db, cost),
            body,
            lambda _: self._costs.append(str(number)),
            _CHAT,
        )

    def _assign(self, _who: str, chance: Random) -> Visit:
        """Assign tiers to few users, so that two administrators conflict."""
        number = chance.randrange(TIERS)
        if self._deleted or chance.random() < 0.05:
            return self._tier(number)
        who, tier = f"user{chance.randrange(40)}", f"tier{number}"
        path = f"/assignments/direct_user:{who}"
        if who not in self._assigned:
            body = {"assignment_type": "direct_user", "who": who, "tier_id": tier}
            self._assigned[who] = tier
            return Visit(
                "assign",
                "root",
                "POST",
                "/assignments",
                lambda db: assign(db, AssignmentType.DIRECT_USER, who, tier),
                body,
                roles=_ADMIN,
            )
        if chance.random() < 0.6:
            return Visit(
                "reassign",
                "root",
                "PUT",
                f"{path}/tier",
                lambda db: reassign(db, f"direct_user:{who}", tier),
                {"tier_id": tier},
                roles=_ADMIN,
            )
        self._assigned.pop(who, None)
        return Visit(
            "unassign",
            "root",
            "DELETE",
            path,
            lambda db: unassign(db, f"direct_user:{who}"),
            roles=_ADMIN,
        )

    def _tier(self, number: int) -> Visit:
        """Delete a tier, unless it is used, or define it again."""
        try:
            again = self._deleted.pop()
        except IndexError:
            return Visit(
                "delete tier",
                "root",
                "DELETE",
                f"/tiers/tier{number}",
                lambda db: delete_tier(db, f"tier{number}"),
                learn=lambda _: self._deleted.append(number),
                roles=_ADMIN,
            )
        terms = _TERMS[again]
        return Visit(
            "define tier",
            "root",
            "POST",
            "/tiers",
            lambda db: define_tier(db, f"tier{again}", terms, by="root"),
            {"tier_id": f"tier{again}", **terms.model_dump(mode="json")},
            roles=_ADMIN,
        )

    def _start(self, who: str, _chance: Random) -> Visit:
        def begun(read: Read) -> None:
            self._sessions[who].append(read("session_id"))

        return Visit(
            "start",
            who,
            "POST",
            "/sessions",
            lambda db: conversing.start_session(db, who, "A talk"),
            {"title": "A talk"},
            begun,
        )

    def _of_session(self, what: str, who: str, chance: Random) -> Visit:
        """Use a session, mostly the latest, so that two devices conflict."""
        own = self._sessions[who]
        if not own:
            return self._start(who, chance)
        session = own[-1] if chance.random() < 0.8 else chance.choice(own)
        path = f"/sessions/{session}"
        match what:
            case "message":
                return Visit(
                    "message",
                    who,
                    "POST",
                    f"{path}/messages",
                    lambda db: conversing.add_message(db, who, session),
                    learn=lambda _: self._messages.append(session),
                    doubt=lambda: self._doubtful.append(session),
                )
            case "edit":
                return Visit(
                    "edit",
                    who,
                    "PATCH",
                    path,
                    lambda db: conversing.edit_session(db, who, session, starred=True),
                    {"starred": True},
                )
            case _:
                self._sessions[who] = [each for each in own if each != session]
                return Visit(
                    "delete",
                    who,
                    "DELETE",
                    path,
                    lambda db: conversing.delete_session(db, who, session),
                )

    def _sign_in(self, who: str, chance: Random) -> Visit:
        if not self._states or chance.random() < 0.5:
            uri = DEMO_REDIRECT_URI
            return Visit(
                "begin",
                who,
                "POST",
                "/sign-ins",
                lambda db: begin_sign_in(db, uri, allowed=[uri]),
                {"redirect_uri": uri},
                lambda read: self._states.append(read("state")),
            )
        state = chance.choice(self._states[-20:])
        if chance.random() < 0.9:  # otherwise a second caller sends it too
            self._states = [each for each in self._states if each != state]
        return Visit(
            "finish",
            "redeemer",
            "POST",
            "/sign-ins/finish",
            lambda db: finish_sign_in(db, state),
            {"state": state},
            lambda _: self.accept_state(state),
            _SIGN_IN,
        )

    def accept_state(self, state: str) -> None:
        """Note that a state was accepted."""
        self._finished.append(state)

    def faults(self, db: DB) -> Iterator[str]:
        """Yield every sum, count or record that is wrong, missing or duplicated."""
        costs = list(db.each(CostRecord.scan()))
        yield from _faults_of_sums(costs, db.each(CostSummary.scan()))
        yield from self._faults_of_costs(costs)
        assignments = list(db.each(Assignment.scan()))
        yield from _faults_of_tiers(db, assignments)
        yield from _faults_of_subjects(assignments)
        yield from self._faults_of_sessions(db)
        yield from self._faults_of_states(db)
        yield from _faults_of_warnings(db.each(QuotaEvent.scan()))

    def _faults_of_costs(self, costs: Iterable[CostRecord]) -> Iterator[str]:
        stored = {cost.record_id for cost in costs}
        for number in {*self._costs}:
            if f"r{number}" not in stored:
                yield f"the cost r{number} was recorded but is missing"

    def _faults_of_sessions(self, db: DB) -> Iterator[str]:
        sessions = [*db.each(Session.scan()), *db.each(DeletedSession.scan())]
        for session_id, places in Counter(each.session_id for each in sessions).items():
            if places > 1:
                yield f"the session {session_id} is stored {places} times"
        sent, doubtful = Counter(self._messages), Counter(self._doubtful)
        for session in sessions:
            least = sent[session.session_id]
            most = least + doubtful[session.session_id]
            if not least <= session.message_count <= most:
                yield (
                    f"the session {session.session_id} counts {session.message_count} messages "
                    f"but got {least_to_most(least, most)}"
                )
        for session_id in sent.keys() - {each.session_id for each in sessions}:
            yield f"the session {session_id} got messages but is missing"

    def _faults_of_states(self, db: DB) -> Iterator[str]:
        for state, times in Counter(self._finished).items():
            if times > 1:
                yield f"the state {state} was accepted {times} times"
        for left in db.each(SignInState.scan()):
            if left.state in self._finished:
                yield f"the state {left.state} was accepted but still exists"


def _costly_session(number: int) -> str:
    return f"costs-of-{number}"


def _the_cost(began: datetime, number: int) -> Cost:
    """Return the cost with this number, always with the same values."""
    return Cost(
        user_id=f"user{number % PEOPLE}",
        record_id=f"r{number}",
        timestamp=began + timedelta(milliseconds=number),
        session_id=_costly_session(number % PEOPLE),
        message_id=f"m{number}",
        cost_micros=10_000 + 997 * number % 400_000,
        input_tokens=number % 3_000,
        output_tokens=number % 700,
        model_id="haiku",
    )


def _faults_of_sums(costs: Iterable[CostRecord], summaries: Iterable[CostSummary]) -> Iterator[str]:
    sums: dict[tuple[str, str], Counter[str]] = defaultdict(Counter[str])
    for cost in costs:
        for period in (day_of(cost.timestamp), month_of(cost.timestamp)):
            sums[cost.user_id, period].update(
                total_cost_micros=cost.cost_micros,
                request_count=1,
                input_tokens=cost.input_tokens,
                output_tokens=cost.output_tokens,
            )
    for summary in summaries:
        wanted = sums.pop((summary.user_id, summary.period), Counter())
        found = Counter(summary.model_dump(exclude={"user_id", "period"}))
        if found != wanted:
            yield f"the sum of {summary.user_id} in {summary.period} is {+found}, not {+wanted}"
    for user_id, period in sums:
        yield f"{user_id} has no sum for {period}"


def _faults_of_tiers(db: DB, assignments: Iterable[Assignment]) -> Iterator[str]:
    counts = Counter(assignment.tier_id for assignment in assignments)
    tiers = {tier.tier_id: tier for tier in db.each(QuotaTier.scan())}
    for tier in tiers.values():
        if tier.assignment_count != counts[tier.tier_id]:
            yield (
                f"{tier.tier_id} counts {tier.assignment_count} assignments "
                f"but has {counts[tier.tier_id]}"
            )
    for tier_id in counts.keys() - tiers.keys():
        yield f"an assignment refers to the deleted tier {tier_id}"
    for config in db.each(QuotaConfig.scan()):
        if config.default_tier_id is not None and config.default_tier_id not in tiers:
            yield f"the default tier {config.default_tier_id} is deleted"


def _faults_of_subjects(assignments: Iterable[Assignment]) -> Iterator[str]:
    sole = (AssignmentType.DIRECT_USER, AssignmentType.APP_ROLE)
    subjects = Counter(each.subject for each in assignments if each.assignment_type in sole)
    for subject, count in subjects.items():
        if count > 1:
            yield f"{subject} has {count} assignments"


def _faults_of_warnings(events: Iterable[QuotaEvent]) -> Iterator[str]:
    warned = Counter(
        (event.user_id, f"{event.timestamp:%d %H}")
        for event in events
        if event.event_type is EventType.WARNING
    )
    for (user_id, hour), count in warned.items():
        if count > THRESHOLDS:
            yield f"{user_id} was warned {count} times in the hour {hour}"
