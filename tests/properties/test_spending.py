"""E-26, R-20: no order of questions and answers spends more than a cap allows."""

import asyncio
from decimal import Decimal
from pathlib import Path

from hypothesis import given, settings, strategies as st

from pm_orchestrator.dispatch.allowance import LEAST_ANSWER, Bound, room_for
from pm_orchestrator.dispatch.purse import Purse, PurseParts
from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.company.spending import Caps, cost_of, tokens_at_most
from pm_orchestrator.domain.errors import CapReachedError
from pm_orchestrator.domain.setup.prices import Price
from pm_orchestrator.evidence.spending.spend_book import SpendBook
from pm_orchestrator.ports.call_meter import Granted, ModelCall
from pm_orchestrator.testing.memory.fake_clock import FrozenClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles

FOLDER = Path("/spending")
PRICE = Price(input=Decimal(3), output=Decimal(15), stored=Decimal("1.25"))
amounts = st.integers(0, 4000)
caps = st.builds(
    Caps,
    tokens=st.none() | st.integers(1, 20_000),
    usd=st.none() | st.decimals("0.001", "0.2", places=3),
    turns=st.none() | st.integers(1, 12),
)


Question = tuple[int, int, float, int, str]
questions = st.lists(
    st.tuples(
        amounts,
        st.integers(1, 4000),
        # How much of the granted room is used, and after how many turns of the loop.
        st.floats(0, 1),
        st.integers(0, 4),
        st.sampled_from(["answered", "lost", "killed"]),
    ),
    max_size=14,
)


def purse_over(files: MemoryFiles, asked: Caps, daily: Caps, run: str = "run_001") -> Purse:
    clock = FrozenClock()
    purse = Purse(
        PurseParts(
            run_id=run,
            task_id="task-1",
            book=SpendBook(files, FOLDER, clock),
            files=files,
            clock=clock,
            price_of=lambda _, __: PRICE,
            asked=asked,
            caps=Caps(),
            daily=daily,
        )
    )
    purse.begin("company", "m")
    return purse


class Bill:
    """What a vendor has really been asked for, counted by itself."""

    def __init__(self) -> None:
        self.tokens = 0
        self.usd = Decimal(0)
        self.turns = 0

    def add(self, used: TokenUsage) -> None:
        self.tokens += used.tokens
        self.usd += cost_of(used, PRICE)
        self.turns += 1

    def within(self, asked: Caps) -> bool:
        return (
            (asked.tokens is None or self.tokens <= asked.tokens)
            and (asked.usd is None or self.usd <= asked.usd)
            and (asked.turns is None or self.turns <= asked.turns)
        )


async def ask(purse: Purse, bill: Bill, question: Question) -> None:
    size, room, part, turns, end = question
    call = ModelCall(agent="a", adapter="x", model="m", input_tokens=size, output_tokens=room)
    try:
        granted: Granted = await purse.grant(call)
    except CapReachedError:
        return
    assert 0 < granted.output_tokens <= room
    used = TokenUsage(input_tokens=size, output_tokens=int(granted.output_tokens * part))
    for _ in range(turns):
        await asyncio.sleep(0)
    if end == "lost":
        purse.settle(granted, None)
        return
    bill.add(used)
    # A process that is killed never hears what it used; the next one counts it at its most.
    if end == "answered":
        purse.settle(granted, used)


@settings(deadline=None, max_examples=60)
@given(asked=caps, daily=caps, lives=st.lists(questions, min_size=1, max_size=3))
def test_no_order_of_questions_spends_more_than_the_cap(
    asked: Caps, daily: Caps, lives: list[list[Question]]
) -> None:
    """E-26: side by side, over several lives of a run, and over several runs of a day."""
    files = MemoryFiles()
    whole, first = Bill(), Bill()
    day = Caps(tokens=daily.tokens, usd=daily.usd)

    async def live(run: str, bill: Bill, life: list[Question]) -> None:
        purse = purse_over(files, asked, day, run)

        async def one(question: Question) -> None:
            # Who is killed takes nobody along in here: the others would wait for ever.
            kept = question if question[4] != "killed" else (*question[:4], "answered")
            await ask(purse, bill, kept)

        async with asyncio.TaskGroup() as group:
            for question in life:
                group.create_task(one(question))
        killed = next((q for q in life if q[4] == "killed"), None)
        if killed is not None:
            await ask(purse, bill, killed)

    for life in lives:
        asyncio.run(live("run_001", first, life))
        assert first.within(asked)
    other = Bill()
    asyncio.run(live("run_002", other, lives[0]))
    assert other.within(asked)
    whole.tokens, whole.usd = first.tokens + other.tokens, first.usd + other.usd
    assert whole.within(day)


@given(
    most=st.integers(0, 10_000),
    spent=amounts,
    held=amounts,
    fixed=amounts,
    answer=st.integers(1, 4000),
)
def test_an_answer_gets_room_waits_or_is_refused(
    most: int, spent: int, held: int, fixed: int, answer: int
) -> None:
    bound = Bound(
        name="tokens",
        most=Decimal(most),
        spent=Decimal(spent),
        held=Decimal(held),
        fixed=Decimal(fixed),
        each=Decimal(1),
    )
    room = room_for([bound], answer)
    least = min(answer, LEAST_ANSWER)
    if isinstance(room, Bound):
        assert spent + fixed + least > most
    elif room is None:
        assert held
        assert spent + held + fixed + answer > most
    else:
        assert least <= room <= answer
        assert spent + held + fixed + room <= most


@given(st.text(max_size=300))
def test_a_text_has_no_more_tokens_than_it_is_said_to_have_at_most(text: str) -> None:
    data = text.encode()
    assert -(-len(data) // 3) <= tokens_at_most(data) <= len(data)
