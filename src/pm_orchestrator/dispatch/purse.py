"""What one run may spend on models, whoever in it asks: checked before, counted afterwards."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from decimal import Decimal
from typing import TypeVar

import msgspec
from typing_extensions import override

from pm_orchestrator.dispatch.allowance import Bound, CapName, room_for
from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.company.spending import (
    Caps,
    Spending,
    dollars,
    spending_of,
)
from pm_orchestrator.domain.errors import CapReachedError, PmError
from pm_orchestrator.domain.setup.prices import Price
from pm_orchestrator.evidence.spending.spend_book import (
    CallFreed,
    CallHeld,
    CallSpent,
    LifeBegan,
    SpendBook,
)
from pm_orchestrator.ports.call_meter import CallMeter, Granted, ModelCall
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.store import DurableFiles

T = TypeVar("T")


class PurseParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a purse works with."""

    run_id: str
    task_id: str
    book: SpendBook
    files: DurableFiles
    clock: Clock
    price_of: Callable[[str, str], Price | None]
    """By adapter and model; None where it is not known."""
    asked: Caps
    """For this run alone, just now; what was asked when it began holds besides."""
    caps: Caps
    """Where nothing was asked."""
    daily: Caps
    """Over all runs of the project."""


class Purse(CallMeter):
    """Counts for one run."""

    def __init__(self, parts: PurseParts) -> None:
        self._parts = parts
        before = parts.book.run(parts.run_id)
        self._life = before.lives + 1
        self._asked = 0
        self._spent = before.total()
        self._held: dict[str, CallHeld] = {}
        self._settled = asyncio.Event()
        self._worked = sum(before.seconds)
        self._earlier_s = self._worked
        self._at_work = 0
        self._since = 0.0
        self._caps = parts.asked.or_else(before.asked).or_else(parts.caps)

    @property
    def spent(self) -> Spending:
        """By the run so far, its earlier lives included."""
        return self._spent

    def begin(self, way: str, model: str) -> None:
        """Write down that the run is at it (again), and what was asked for it alone."""
        parts = self._parts
        parts.book.note(
            LifeBegan(
                run_id=parts.run_id,
                task_id=parts.task_id,
                way=way,
                model=model,
                asked=parts.asked,
            )
        )

    @contextmanager
    def working(self) -> Generator[None]:
        """The run's time is counted while anybody works."""
        clock = self._parts.clock
        if not self._at_work:
            self._since = clock.monotonic()
        self._at_work += 1
        try:
            yield
        finally:
            self._at_work -= 1
            if not self._at_work:
                self._worked += clock.monotonic() - self._since

    def refuse_spent_day(self) -> None:
        """Pass while the day's caps leave anything, for work that nobody here can count before.

        Raises:
            CapReachedError: E206, all of it is spent.
        """
        daily, today = self._parts.daily, self._today()
        if daily.tokens is not None and today.used.tokens >= daily.tokens:
            raise self._reached("tokens_per_day")
        if daily.usd is not None and today.usd >= daily.usd:
            raise self._reached("usd_per_day")

    def seconds_left(self) -> float | None:
        """None where time is not limited."""
        if self._caps.seconds is None:
            return None
        return max(self._caps.seconds - self._seconds(), 0.0)

    def late(self) -> CapReachedError:
        """What is said when the time is over."""
        return self._reached("minutes")

    @property
    @override
    def limits_answers(self) -> bool:
        return self._caps.limits_answers or self._parts.daily.limits_answers

    @override
    async def grant(self, call: ModelCall) -> Granted:
        while True:
            if self.seconds_left() == 0:
                raise self.late()
            settled, held = self._settled, None
            try:
                async with self._day_to_itself():
                    room = room_for(self._bounds(call), call.output_tokens)
                    if isinstance(room, Bound):
                        raise self._reached(room.name)
                    if room is not None:
                        held = self._hold(call, room)
                if held is not None:
                    return held
            except asyncio.CancelledError:
                if held is not None:
                    self.settle(held, None)
                raise
            await settled.wait()

    @override
    def settle(self, granted: Granted, used: TokenUsage | None) -> None:
        if self._held.pop(granted.id, None) is None:
            return
        run_id, call = self._parts.run_id, granted.call
        if used is None:
            self._parts.book.note(CallFreed(run_id=run_id, id=granted.id))
        else:
            spent = spending_of(used, self._parts.price_of(call.adapter, call.model))
            self._spent += spent
            self._parts.book.note(
                CallSpent(
                    run_id=run_id,
                    id=granted.id,
                    agent=call.agent,
                    model=call.model,
                    spent=spent,
                    seconds=self._seconds() - self._earlier_s,
                )
            )
        before, self._settled = self._settled, asyncio.Event()
        before.set()

    def _hold(self, call: ModelCall, room: int) -> Granted:
        self._asked += 1
        place = f"{self._life}/{self._asked}"
        price = self._parts.price_of(call.adapter, call.model)
        usd = None
        if price is not None:
            fixed, each = price.most(call.input_tokens)
            usd = fixed + each * room
        held = CallHeld(
            run_id=self._parts.run_id,
            id=place,
            agent=call.agent,
            tokens=call.input_tokens + room,
            usd=usd,
        )
        self._parts.book.note(held)
        self._held[place] = held
        return Granted(id=place, call=call, output_tokens=room)

    def _bounds(self, call: ModelCall) -> list[Bound]:
        caps, daily, own = self._caps, self._parts.daily, self._spent
        # What others have on their way counts as spent: they do not tell when it ends.
        today = self._today() if daily.limits_answers else Spending()
        held = self._held.values()
        tokens = sum(line.tokens for line in held)
        usd = sum((line.usd or Decimal(0) for line in held), Decimal(0))
        of_tokens = _Cost(held=Decimal(tokens), fixed=Decimal(call.input_tokens), each=Decimal(1))
        of_turns = _Cost(held=Decimal(len(held)), fixed=Decimal(1), each=Decimal(0))
        of_usd = _Cost(held=usd, fixed=Decimal(0), each=Decimal(0))
        if caps.usd is not None or daily.usd is not None:
            price = self._parts.price_of(call.adapter, call.model)
            if price is None:
                raise PmError("price_unknown", model=call.model)
            fixed, each = price.most(call.input_tokens)
            of_usd = _Cost(held=usd, fixed=fixed, each=each)
        found = (
            of_tokens.under("tokens", caps.tokens, own.used.tokens),
            of_usd.under("usd", caps.usd, own.usd),
            of_turns.under("turns", caps.turns, own.turns),
            of_tokens.under("tokens_per_day", daily.tokens, today.used.tokens),
            of_usd.under("usd_per_day", daily.usd, today.usd),
        )
        return [bound for bound in found if bound is not None]

    @asynccontextmanager
    async def _day_to_itself(self) -> AsyncGenerator[None]:
        """Nobody else holds anything meanwhile, where all share a cap."""
        if not self._parts.daily.limits_answers:
            yield
            return
        async with self._parts.files.exclusive(self._parts.book.today()):
            yield

    def _seconds(self) -> float:
        """It has worked, all its lives together."""
        now = self._parts.clock.monotonic() - self._since if self._at_work else 0.0
        return self._worked + max(now, 0.0)

    def _reached(self, name: CapName) -> CapReachedError:
        caps, daily = self._caps, self._parts.daily
        slug, most = {
            "tokens": ("tokens_cap_reached", caps.tokens),
            "usd": ("usd_cap_reached", caps.usd),
            "turns": ("turns_cap_reached", caps.turns),
            "minutes": ("minutes_cap_reached", (caps.seconds or 0) // 60),
            "tokens_per_day": ("daily_tokens_cap_reached", daily.tokens),
            "usd_per_day": ("daily_usd_cap_reached", daily.usd),
        }[name]
        spent = self._today() if name.endswith("per_day") else self._spent
        said = dollars(most) if isinstance(most, Decimal) else f"{most:,}"
        return CapReachedError(
            slug,
            most=said,
            tokens=spent.tokens,
            cost=spent.cost,
            run=self._parts.run_id,
            twice=2 * (most or 0),
        )

    def _today(self) -> Spending:
        """By all runs, without what this one has on its way."""
        return self._parts.book.spent_today(self._parts.run_id, self._held)


class _Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What a question costs at most in one currency, and what is on its way."""

    held: Decimal
    fixed: Decimal
    each: Decimal

    def under(
        self, name: CapName, most: int | Decimal | None, spent: int | Decimal
    ) -> Bound | None:
        if most is None:
            return None
        return Bound(
            name=name,
            most=Decimal(most),
            spent=Decimal(spent),
            held=self.held,
            fixed=self.fixed,
            each=self.each,
        )


async def in_time(purse: Purse, work: Awaitable[T]) -> T:
    """Do it in the time that is left, which is counted.

    Raises:
        CapReachedError: E206, the time is over.
    """
    limit = asyncio.timeout(purse.seconds_left())
    try:
        with purse.working():
            async with limit:
                return await work
    except TimeoutError:
        if not limit.expired():
            raise
        raise purse.late() from None
