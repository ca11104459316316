"""R-20, E-26: what a run may spend is checked before it is spent, and counted afterwards."""

import asyncio
import json
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from pm_orchestrator.bootstrap.traffic.run_purse import begun_purse, open_purse
from pm_orchestrator.dispatch.purse import Purse, PurseParts, in_time
from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.company.spending import Caps, Spending
from pm_orchestrator.domain.errors import CapReachedError, PmError
from pm_orchestrator.domain.history.report import Spent
from pm_orchestrator.domain.setup.prices import Price
from pm_orchestrator.domain.setup.settings import BudgetSettings, PriceSettings
from pm_orchestrator.evidence.spending.spend_book import SpendBook
from pm_orchestrator.ports.call_meter import Granted, ModelCall
from pm_orchestrator.runner.project.spent_on_models import spent_by_task
from pm_orchestrator.runner.run.steps import RunOrder
from pm_orchestrator.testing.benches.sample_site import Site, open_site
from pm_orchestrator.testing.memory.fake_clock import FrozenClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles

SPENT_ELSEWHERE = Spent()
FOLDER = Path("/spending")
PRICES = {"dear": Price(input=Decimal(1000), output=Decimal(1000))}
USED = TokenUsage(input_tokens=100, output_tokens=50)


def purse_of(
    files: MemoryFiles,
    asked: Caps | None = None,
    *,
    caps: Caps | None = None,
    daily: Caps | None = None,
    run: str = "run_001",
    clock: FrozenClock | None = None,
) -> Purse:
    clock = clock or FrozenClock()
    purse = Purse(
        PurseParts(
            run_id=run,
            task_id="task-1",
            book=SpendBook(files, FOLDER, clock),
            files=files,
            clock=clock,
            price_of=lambda _, model: PRICES.get(model),
            asked=asked or Caps(),
            caps=caps or Caps(),
            daily=daily or Caps(),
        )
    )
    purse.begin("company", "m")
    return purse


def call(size: int = 100, room: int = 1000, model: str = "m", agent: str = "a") -> ModelCall:
    return ModelCall(agent=agent, adapter="x", model=model, input_tokens=size, output_tokens=room)


async def spend(purse: Purse, asked: ModelCall | None = None) -> Granted:
    granted = await purse.grant(asked or call())
    purse.settle(granted, USED)
    return granted


async def refused(purse: Purse, asked: ModelCall | None = None) -> CapReachedError:
    with pytest.raises(CapReachedError) as caught:
        await purse.grant(asked or call())
    return caught.value


async def test_without_a_cap_everything_is_counted_and_nothing_refused() -> None:
    files = MemoryFiles()
    purse = purse_of(files)
    assert not purse.limits_answers
    for agent in ("manager", "worker/01/1"):
        assert (await spend(purse, call(agent=agent))).output_tokens == 1000
    assert purse.spent == Spending(turns=2, used=USED + USED, unpriced_tokens=300)
    assert (purse.spent.tokens, purse.spent.cost) == ("300", "$?")
    found = SpendBook(files, FOLDER, FrozenClock()).run("run_001")
    assert sorted(found.agents) == ["manager", "worker/01/1"]
    assert found.held == {}


async def test_the_last_question_gets_what_is_left_and_the_next_one_nothing() -> None:
    purse = purse_of(MemoryFiles(), Caps(tokens=1000))
    assert (await spend(purse)).output_tokens == 900
    assert (await spend(purse, call(room=200))).output_tokens == 200
    error = await refused(purse, call(size=500, room=256))
    assert error.slug == "tokens_cap_reached"
    assert error.params["tokens"] == "300"
    assert "resume run_001 --budget-tokens" in error.hint("en")
    assert "1,000" in error.what("ja")


@pytest.mark.parametrize(
    ("caps", "slug"),
    [
        (Caps(usd=Decimal("0.3")), "usd_cap_reached"),
        (Caps(turns=1), "turns_cap_reached"),
        (Caps(tokens=400), "tokens_cap_reached"),
    ],
)
@pytest.mark.parametrize("of", ["asked", "settings", "day"])
async def test_each_cap_ends_it(caps: Caps, slug: str, of: str) -> None:
    if of == "day":
        if caps.turns is not None:
            return
        slug = "daily_" + slug
    purse = purse_of(
        MemoryFiles(),
        caps if of == "asked" else None,
        caps=caps if of == "settings" else None,
        daily=caps if of == "day" else None,
    )
    await spend(purse, call(room=100, model="dear"))
    error = await refused(purse, call(room=200, model="dear"))
    assert error.slug == slug
    assert (error.code, error.is_unfinished) == ("E206", True)


async def test_dollars_are_not_spent_on_what_has_no_price() -> None:
    purse = purse_of(MemoryFiles(), Caps(usd=Decimal(5)))
    with pytest.raises(PmError, match=r"E211.*is not known"):
        await purse.grant(call(model="nobody-knows"))


async def test_who_finds_no_room_waits_for_those_before() -> None:
    purse = purse_of(MemoryFiles(), Caps(tokens=1500))
    first = await purse.grant(call())
    second = asyncio.create_task(purse.grant(call()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not second.done()
    purse.settle(first, None)
    assert (await second).output_tokens == 1000
    # Whoever is cancelled while it waits holds nothing.
    third = asyncio.create_task(purse.grant(call()))
    await asyncio.sleep(0)
    third.cancel()
    with pytest.raises(asyncio.CancelledError):
        await third
    purse.settle(await second, USED)
    assert (await spend(purse)).output_tokens == 1000


async def test_what_was_never_answered_costs_nothing_and_is_settled_once() -> None:
    purse = purse_of(MemoryFiles())
    granted = await purse.grant(call())
    purse.settle(granted, None)
    purse.settle(granted, USED)
    assert purse.spent == Spending()


async def test_a_killed_process_has_spent_what_it_asked_at_most() -> None:
    files = MemoryFiles()
    await spend(purse_of(files, Caps(tokens=5000)))
    killed = purse_of(files)
    await killed.grant(call())
    again = purse_of(files)
    assert (again.spent.turns, again.spent.used.tokens) == (2, 150 + 1100)
    assert again.spent.tokens == "~1,250"
    # What was asked for the run holds when it goes on, until more is.
    assert (await refused(again, call(size=4000))).params["most"] == "5,000"
    assert await spend(purse_of(files, Caps(tokens=9000)), call(size=4000))


async def test_a_day_is_shared_by_all_runs_and_ends() -> None:
    files, day = MemoryFiles(), Caps(tokens=1300)
    await spend(purse_of(files, daily=day), call(room=1000))
    other = purse_of(files, daily=day, run="run_002")
    assert (await other.grant(call())).output_tokens == 1000
    third = purse_of(files, daily=day, run="run_003")
    assert (await refused(third)).slug == "daily_tokens_cap_reached"
    later = FrozenClock()
    later.advance(24 * 3600)
    assert await spend(purse_of(files, daily=day, run="run_004", clock=later))


async def test_lines_that_are_torn_are_passed_over() -> None:
    files = MemoryFiles()
    await spend(purse_of(files))
    (path,) = files.disk
    files.disk[path] += b'{"kind":"spent","run_id":"run_0'
    files.disk[path.with_name("notes.txt")] = b"not ours"
    again = purse_of(files)
    assert again.spent.turns == 1
    await spend(again)
    assert purse_of(files).spent.turns == 2


async def test_time_is_counted_while_somebody_works_and_ends_it() -> None:
    files, clock = MemoryFiles(), FrozenClock()
    purse = purse_of(files, Caps(seconds=120), clock=clock)
    with purse.working():
        clock.advance(60)
        with purse.working():
            clock.advance(30)
        await spend(purse)
    clock.advance(1000)
    assert purse.seconds_left() == 30
    again = purse_of(files, clock=clock)
    assert again.seconds_left() == 30
    with again.working():
        clock.advance(31)
        assert (await refused(again)).slug == "minutes_cap_reached"
    with pytest.raises(CapReachedError, match=r"E206.*the 2 minutes"):
        await in_time(again, asyncio.Event().wait())


async def test_another_timeout_is_not_taken_for_the_end_of_the_time() -> None:
    async def fails() -> None:
        raise TimeoutError

    purse = purse_of(MemoryFiles(), Caps(seconds=120))
    with pytest.raises(TimeoutError):
        await in_time(purse, fails())
    assert purse_of(MemoryFiles()).seconds_left() is None


def order_of(site: Site) -> RunOrder:
    return RunOrder(
        run_id="run_001",
        session_id="session-1",
        task_id="task-1",
        ticket="20260115-ab12",
        way="company",
        instruction="Do it",
        project=str(site.root),
        model="m",
    )


@pytest.fixture
async def site(tmp_path: Path) -> Site:
    return await open_site(tmp_path)


BUDGETS = [
    (BudgetSettings(tokens=100), "tokens_cap_reached"),
    (BudgetSettings(usd=0.01), "usd_cap_reached"),
    (BudgetSettings(tokens_per_day=100), "daily_tokens_cap_reached"),
    (BudgetSettings(usd_per_day=0.01), "daily_usd_cap_reached"),
]


@pytest.mark.parametrize(("budgets", "slug"), BUDGETS)
async def test_the_settings_cap_runs_and_days(
    site: Site, budgets: BudgetSettings, slug: str
) -> None:
    prices = {"m": PriceSettings(input=1000, output=1000)}
    budgets = replace(budgets, prices=prices)
    site.app.settings = replace(site.app.settings, budgets=budgets)
    purse = begun_purse(site.app, order_of(site), None)
    assert (await refused(purse)).slug == slug


async def test_the_settings_cap_turns_and_minutes(site: Site) -> None:
    """What was asked for the run comes first."""
    budgets = BudgetSettings(turns=1, minutes=2)
    site.app.settings = replace(site.app.settings, budgets=budgets)
    order = order_of(site)
    purse = begun_purse(site.app, order, None)
    assert purse.seconds_left() == 120
    await spend(purse)
    assert (await refused(purse)).slug == "turns_cap_reached"
    asked = open_purse(site.app, order, Caps(turns=2, seconds=60))
    assert asked.seconds_left() == 60
    await spend(asked)
    spent = spent_by_task(site.app, "task-1", replace(SPENT_ELSEWHERE, seconds=7))
    assert (spent.turns, spent.tokens, spent.seconds) == (2, 300, 7)
    assert spent.agents["a"].output_tokens == 100
    assert (spent.cost_usd, spent.unpriced_tokens) == (None, 300)
    # Of an older run only its log tells.
    older = replace(SPENT_ELSEWHERE, tokens=1000)
    assert spent_by_task(site.app, "task-1", older) == older
    assert json.dumps("task-1") in "".join(
        path.read_text("utf-8") for path in site.app.paths.spending.glob("*.jsonl")
    )
