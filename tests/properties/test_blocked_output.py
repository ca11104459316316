"""Blocked executors: never without words, and only for dangerous operations."""

import asyncio

from hypothesis import given, strategies as st
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.history.task_log import BlockedReason
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.ports.executor import ExecutorResult, ExecutorTask
from pm_orchestrator.runner.places.asked.auto_resolving import (
    ANSWERS_AT_MOST,
    AnswerRule,
    AutoResolving,
    named_file,
    preferred,
)
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_sandbox import MemorySandbox
from pm_orchestrator.testing.scripted.fake_executors import (
    AskingFake,
    BlockedFake,
    ErrorFake,
    FakeExecutor,
)

HARMLESS = [kind for kind in TaskType if kind is not TaskType.DANGEROUS_OP]
outputs = st.one_of(st.sampled_from(["", " ", "\n\t\n"]), st.text(max_size=60))
reasons = st.sampled_from([None, *BlockedReason])


def task(kind: TaskType, instruction: str = "Do something") -> ExecutorTask:
    return ExecutorTask(
        task_id="task-1",
        instruction=instruction,
        hands=MemorySandbox(),
        timeout_s=60,
        task_type=kind,
    )


def resolving(inner: FakeExecutor, *rules: AnswerRule) -> AutoResolving:
    return AutoResolving(inner, rules, FakeClock())


@given(st.sampled_from(TaskType), reasons, outputs)
def test_blocked_is_never_empty(kind: TaskType, reason: BlockedReason | None, said: str) -> None:
    """INV-1, AC-1: whatever a blocked executor says, a person gets words to act on."""
    result = asyncio.run(resolving(BlockedFake(reason, said)).execute(task(kind)))
    assert result.claim.summary.strip()
    assert result.question is not None
    assert result.question.strip()
    assert len(result.question.splitlines()) <= 2
    if said.strip():
        assert result.claim.summary == said.strip()


@given(st.sampled_from(TaskType), reasons, outputs)
def test_only_dangerous_operations_are_blocked(
    kind: TaskType, reason: BlockedReason | None, said: str
) -> None:
    """INV-2, AC-2: any other task is incomplete with its question, or an error with its cause."""
    result = asyncio.run(resolving(BlockedFake(reason, said)).execute(task(kind)))
    assert (result.claim.kind == "blocked") == (kind is TaskType.DANGEROUS_OP)
    if kind in HARMLESS:
        assert result.claim.kind == ("gave_up" if reason is None else "failed")
    assert (None if result.blocked is None else result.blocked.reason) == reason


@given(st.lists(st.sampled_from(["Which license?", "Which colour?"]), max_size=5))
def test_answers_without_a_person_are_few_and_on_record(questions: list[str]) -> None:
    """INV-2: a preference answers at most twice; the next question goes to a person."""
    inner = AskingFake(questions)
    rule = preferred({"license": "MIT", "colour": "blue"})
    result = asyncio.run(resolving(inner, rule).execute(task(TaskType.IMPLEMENTATION)))
    answered = questions[:ANSWERS_AT_MOST]
    assert [a.question for a in result.answers] == answered
    assert all(a.source == "preference" for a in result.answers)
    assert len(inner.tasks) == len(answered) + 1
    assert [t.instruction for t in inner.tasks[1:]] == [a.answer for a in result.answers]
    assert all(t.conversation == "conversation-1" for t in inner.tasks[1:])
    left = questions[ANSWERS_AT_MOST:]
    assert result.question == (left[0] if left else None)


@given(st.sampled_from([True, False]), st.sampled_from(["Which license?", "Which file is it?"]))
def test_nobody_answers_for_a_dangerous_operation(blocked: bool, question: str) -> None:
    """INV-2: no rule and no preference speaks for a person where it is dangerous."""
    inner = AskingFake([question], "blocked" if blocked else "gave_up")
    rules = (preferred({"which": "yes"}), named_file)
    dangerous = task(TaskType.DANGEROUS_OP, "Drop everything in data.sql")
    result = asyncio.run(resolving(inner, *rules).execute(dangerous))
    assert (result.answers, len(inner.tasks)) == ((), 1)
    assert result.question == question


def test_the_file_that_is_named_is_the_answer() -> None:
    inner = AskingFake(["Which file should I change?", "Which font?"])
    asked = task(TaskType.LIGHT_EDIT, "Correct the title in README.md")
    result = asyncio.run(resolving(inner, named_file).execute(asked))
    assert [(a.answer, a.source) for a in result.answers] == [("README.md", "rule")]
    assert result.question == "Which font?"


def test_what_is_not_blocked_passes_through() -> None:
    result = asyncio.run(resolving(ErrorFake()).execute(task(TaskType.REPORT)))
    assert result.claim == ExecutorClaim(kind="failed", summary="broken")
    assert asyncio.run(resolving(ErrorFake()).problem()) is None


def test_an_answer_does_not_refill_the_budget() -> None:
    class Spends(AskingFake):
        @override
        async def answer(self, task: ExecutorTask) -> ExecutorResult:
            result = await super().answer(task)
            return replace(result, claim=replace(result.claim, tokens=40))

    inner = Spends(["Which license?", "Which license?"])
    asked = replace(task(TaskType.IMPLEMENTATION), token_budget=60)
    result = asyncio.run(resolving(inner, preferred({"license": "MIT"})).execute(asked))
    assert [t.token_budget for t in inner.tasks] == [60, 20, 0]
    assert result.claim.tokens == 120
