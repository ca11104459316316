"""When an executor is stuck: a model of its signs of life against the rule."""

from typing import Literal

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.domain.company.supervision import PROMPT_SILENCE_S, ExecutorWatch, WatchLimits
from pm_orchestrator.domain.history.task_log import BlockedReason, TerminatedBy
from pm_orchestrator.testing.memory.fake_clock import FakeClock

PROMPTS = (
    "? Select an option",
    "Enter your choice:",
    "Press any key to continue",
    "Continue? [Y/n]",
    "Overwrite? [y/N] ",
    "Proceed? (yes/no)",
    "\x1b[1m? Select\x1b[0m an option\x1b[?25l",
)
PLAIN = ("Compiling…", "done", "What should it be?", "see [1/2]", "Reentering", "\x1b[32mok\x1b[0m")
Kind = Literal["prompt", "plain", "event", "open", "close", "blank", "wait"]
LIMITS = WatchLimits(seconds=60.0, silence_seconds=30.0)

steps = st.lists(
    st.tuples(
        st.sampled_from(["prompt", "plain", "event", "open", "close", "blank", "wait"]),
        st.sampled_from([0.0, 0.3, 1.0, 1.9, 2.1, 7.0, 29.0, 31.0]),
        st.integers(0, 50),
    ),
    max_size=12,
)


class Model:
    """The rule said again, in the plainest way: a list of what happened."""

    def __init__(self) -> None:
        self.now = 0.0
        self.last_sign = 0.0
        self.prompting = False
        self.open_tools: set[str] = set()

    def expected(self) -> BlockedReason | None:
        if self.now >= LIMITS.seconds:
            return BlockedReason.TIMEOUT
        silent = 0.0 if self.open_tools else self.now - self.last_sign
        if self.prompting and silent >= PROMPT_SILENCE_S:
            return BlockedReason.INTERACTIVE_PROMPT
        return BlockedReason.TIMEOUT if silent >= LIMITS.silence_seconds else None


def feed(watch: ExecutorWatch, model: Model, kind: str, number: int) -> None:
    at = model.now
    match kind:
        case "prompt":
            watch.terminal("\n" + PROMPTS[number % len(PROMPTS)], at)
            model.prompting = True
        case "plain":
            watch.terminal("\r\n" + PLAIN[number % len(PLAIN)] + "\n" * (number % 2), at)
            model.prompting = False
        case "blank":
            watch.terminal("\n  \n\x1b[0m", at)
        case "wait":
            return
        case _:
            name = str(number % 3)
            watch.event(
                at,
                opened=[name] if kind == "open" else (),
                closed=[name] if kind == "close" else (),
            )
            model.prompting = False
            if kind == "open":
                model.open_tools.add(name)
            elif kind == "close":
                model.open_tools.discard(name)
    model.last_sign = at


@given(steps)
def test_stuck_exactly_when_the_rule_says_so(course: list[tuple[str, float, int]]) -> None:
    """R-34, R-35 Prompt and timeouts: blocked exactly on a prompt with silence, or a timer."""
    watch, model, clock = ExecutorWatch(LIMITS, 0.0), Model(), FakeClock()
    for kind, pause, number in course:
        feed(watch, model, kind, number)
        clock.advance(pause)
        model.now = clock.monotonic()
        blocked = watch.verdict(model.now, lambda: False)
        assert (None if blocked is None else blocked.reason) == model.expected()
        if blocked is None:
            continue
        assert blocked.timeout_ms == round(model.now * 1000)
        by_timer = blocked.reason is BlockedReason.TIMEOUT
        fail_closed = TerminatedBy.REPL_FAIL_CLOSED
        assert blocked.terminated_by is (TerminatedBy.TIMEOUT if by_timer else fail_closed)
        assert (blocked.detected_pattern is None) == by_timer
        return


@given(steps)
def test_every_course_ends(course: list[tuple[str, float, int]]) -> None:
    """R-35 Terminal State: after the patience it gives, the verdict is there, and never later."""
    watch, model = ExecutorWatch(LIMITS, 0.0), Model()
    for kind, pause, number in course:
        feed(watch, model, kind, number)
        model.now += pause
    # Whatever came before: silence from now on leads to an end in bounded time.
    for _ in range(4):
        if watch.verdict(model.now, lambda: False) is not None:
            break
        wait = watch.patience(model.now)
        assert wait > 0
        model.now += wait + 1e-6  # floats do not add up exactly
    assert watch.verdict(model.now, lambda: False) is not None


@given(steps, st.integers(0, 12), st.floats(0, 10_000), st.integers(0, 2))
def test_no_clock_runs_while_a_person_is_asked(
    course: list[tuple[str, float, int]], when: int, thinks_s: float, again: int
) -> None:
    """R-35 Timeouts: a person takes as long as it takes, and it makes no other difference."""
    asked, unasked = ExecutorWatch(LIMITS, 0.0), ExecutorWatch(LIMITS, 0.0)
    behind, model = 0.0, Model()
    for number, (kind, pause, which) in enumerate(course):
        if number == when:
            for at in (model.now, model.now + 1e-3):
                # A request, and more while the person thinks of the first one.
                asked.event(at)
                asked.hold(at)
                assert asked.verdict(at + thinks_s, lambda: True) is None
                assert asked.patience(at + thinks_s) > 0
            unasked.event(model.now)
            for _ in range(1 + again):
                asked.release(model.now + thinks_s)
            behind = thinks_s
            assert asked.held_s == pytest.approx(thinks_s)
        here, there = Model(), Model()
        here.now, there.now = model.now, model.now + behind
        feed(unasked, here, kind, which)
        feed(asked, there, kind, which)
        model.now += pause
        verdict = unasked.verdict(model.now, lambda: False)
        late = asked.verdict(model.now + behind + 1e-6 * bool(behind), lambda: False)
        assert (verdict and verdict.reason) == (late and late.reason)
        if verdict is not None:
            return


@given(st.sampled_from(PROMPTS), st.lists(st.integers(1, 40), max_size=6))
def test_a_prompt_in_pieces_is_the_same_prompt(prompt: str, cuts: list[int]) -> None:
    """R-34 Prompt detection: the pieces in which a line arrives make no difference."""
    watch = ExecutorWatch(LIMITS, 0.0)
    rest = "working\n" + prompt
    for cut in cuts:
        watch.terminal(rest[:cut], 0.0) if rest[:cut] else None
        rest = rest[cut:]
    if rest:
        watch.terminal(rest, 0.0)
    assert watch.verdict(1.9, lambda: False) is None
    blocked = watch.verdict(2.0, lambda: False)
    assert blocked is not None
    assert blocked.reason is BlockedReason.INTERACTIVE_PROMPT


@given(st.text(max_size=300), st.floats(0, 29.9))
def test_prose_in_events_is_never_a_prompt(prose: str, silence: float) -> None:
    """R-34 Prompt detection: prose in an event is no terminal text and ends nothing."""
    watch = ExecutorWatch(LIMITS, 0.0)
    watch.terminal("? " + prose + "\n", 0.0)
    watch.event(0.0)
    assert watch.verdict(silence, lambda: False) is None


@given(st.floats(0, 29.9), st.booleans())
def test_waiting_for_a_terminal_is_seen_after_a_silence(silence: float, tool: bool) -> None:
    """R-34 Stdin: seen waiting to read, it is STDIN_REQUIRED; not while a tool call is open."""
    watch = ExecutorWatch(LIMITS, 0.0)
    watch.event(0.0, opened=["t"] if tool else ())
    blocked = watch.verdict(silence, lambda: True)
    assert (blocked is not None) == (silence >= PROMPT_SILENCE_S and not tool)
    assert blocked is None or blocked.reason is BlockedReason.STDIN_REQUIRED


@given(st.sampled_from([0, 1, 2, -9, None]), st.booleans())
def test_an_end_for_want_of_input(code: int | None, complains: bool) -> None:
    """R-34 Stdin: an executor that ends with an error because its input is empty says so."""
    watch = ExecutorWatch(LIMITS, 0.0)
    watch.terminal("EOFError: EOF when reading a line\n" if complains else "no luck\n", 1.0)
    blocked = watch.ended(code, 1.5)
    assert (blocked is not None) == (complains and code not in {0, None})
