"""An executor that never leaves a person before an empty box.

What an executor asks is answered by a rule or a stored preference where one
fits, at most twice and always on record. Everything else becomes one question.
Only a dangerous operation may be blocked; any other task that lacks something
is incomplete, with its question.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.history.task_log import BlockedReason
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.executor import AutoAnswer, Executor, ExecutorResult, ExecutorTask
from pm_orchestrator.runner.instructions.file_names import files_named

ANSWERS_AT_MOST = 2
BLOCKABLE = frozenset({TaskType.DANGEROUS_OP})
QUESTION_LINES = 2

AnswerRule = Callable[[str, ExecutorTask], AutoAnswer | None]
"""Gives an answer to a question about a task, or none."""

_WHICH_FILE = LatePattern(
    r"\b(?:which|what) (?:file|path)\b|どのファイル|ファイル名", re.IGNORECASE
)


def preferred(preferences: Mapping[str, str]) -> AnswerRule:
    """Answers from the settings: the first whose words are in the question."""

    def rule(question: str, task: ExecutorTask) -> AutoAnswer | None:
        for words, answer in preferences.items():
            if words.casefold() in question.casefold():
                return AutoAnswer(question=question, answer=answer, source="preference")
        return None

    return rule


def named_file(question: str, task: ExecutorTask) -> AutoAnswer | None:
    """Which file? The one that the instruction names, if it is the only one."""
    named = files_named(task.instruction)
    if len(named) != 1 or _WHICH_FILE.search(question) is None:
        return None
    return AutoAnswer(question=question, answer=named[0], source="rule")


class AutoResolving(Executor):
    """Wraps an executor; what it gives back keeps the rules of blocking."""

    def __init__(self, inner: Executor, rules: Sequence[AnswerRule], clock: Clock) -> None:
        self._inner = inner
        self._rules = rules
        self._clock = clock

    @property
    @override
    def name(self) -> str:
        return self._inner.name

    @override
    async def problem(self) -> str | None:
        return await self._inner.problem()

    @override
    async def execute(self, task: ExecutorTask) -> ExecutorResult:
        deadline = self._clock.monotonic() + task.timeout_s
        result = await self._inner.execute(task)
        answers: list[AutoAnswer] = []
        while len(answers) < ANSWERS_AT_MOST:
            answer = self._answer(task, result)
            left = deadline - self._clock.monotonic()
            if answer is None or left <= 0:
                break
            answers.append(answer)
            before = result.claim
            result = await self._inner.execute(_again(task, result, answers, left))
            result = replace(result, claim=_together(before, result.claim))
        return guarded(task, replace(result, answers=tuple(answers)))

    def _answer(self, task: ExecutorTask, result: ExecutorResult) -> AutoAnswer | None:
        question = result.question
        # A person answers for what is dangerous; one that is stuck cannot hear an answer.
        if question is None or result.blocked is not None or task.task_type in BLOCKABLE:
            return None
        found = (rule(question, task) for rule in self._rules)
        return next((answer for answer in found if answer is not None), None)


def _together(before: ExecutorClaim, last: ExecutorClaim) -> ExecutorClaim:
    """The last word, with what all of it has used up."""
    return replace(last, turns=before.turns + last.turns, tokens=before.tokens + last.tokens)


def guarded(task: ExecutorTask, result: ExecutorResult) -> ExecutorResult:
    """The same result with the rules of blocking kept."""
    claim = result.claim
    if claim.kind != "blocked":
        return result
    stuck = result.blocked
    said = claim.summary.strip() or (result.question or "").strip()
    output = said or fallback_question(task.task_type, stuck.reason if stuck else None)
    question = one_question(result.question or output)
    if task.task_type in BLOCKABLE:
        kind = "blocked"
    else:
        # Stuck is an error with its details; want of information is a question.
        kind = "failed" if stuck is not None else "gave_up"
    return replace(result, claim=replace(claim, kind=kind, summary=output), question=question)


def one_question(text: str) -> str:
    """At most two lines that a person can read in an answer box."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "\n".join(lines[:QUESTION_LINES])


def _again(
    task: ExecutorTask, result: ExecutorResult, answers: Sequence[AutoAnswer], left: float
) -> ExecutorTask:
    """Go on in the conversation, or start again with everything that was settled."""
    budget = task.token_budget
    if budget is not None:
        budget = max(0, budget - result.claim.tokens)
    if result.conversation is not None:
        return replace(
            task,
            instruction=answers[-1].answer,
            conversation=result.conversation,
            timeout_s=left,
            token_budget=budget,
        )
    settled = "".join(f"\nQuestion: {a.question}\nAnswer: {a.answer}" for a in answers)
    whole = task.instruction + settled
    return replace(
        task,
        instruction=whole,
        timeout_s=left,
        token_budget=budget,
        # That name is taken by now.
        fresh_conversation=None,
    )


# The questions that stand in where a blocked executor asks nothing itself.
#
# In both languages at once, as the specification words them: whoever reads the
# answer box may not be the one who chose the language.
DEFAULT = (
    "YES/NO: このタスクはコード変更を許可しますか？\n(Do you permit code changes for this task?)"
)
IMPLEMENTATION = (
    "変更対象のファイルと期待する動作を教えてください。\n"
    "(Which file is to be changed, and what should it do?)"
)
TIMED_OUT = "タスクがタイムアウトしました。続行しますか？ (YES/NO)\n(It timed out. Shall it go on?)"
INTERACTIVE = (
    "対話的な確認が必要です。続行を許可しますか？ (YES/NO)\n"
    "(It wants a confirmation. Do you permit it to go on?)"
)


def fallback_question(task_type: TaskType, reason: BlockedReason | None) -> str:
    """One question a person can answer; never empty."""
    if reason is BlockedReason.TIMEOUT:
        return TIMED_OUT
    if reason is not None:
        return INTERACTIVE
    return IMPLEMENTATION if task_type is TaskType.IMPLEMENTATION else DEFAULT
