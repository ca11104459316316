"""The pure rules: order of phases, order of verdicts, names."""

import re

import pytest
from hypothesis import given, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pm_orchestrator.domain.history.task_log import TaskLogStatus, log_status
from pm_orchestrator.domain.ids import sub_ticket_id, ticket_id
from pm_orchestrator.domain.naming import (
    SLUG_LENGTH,
    branch_name,
    commit_message,
    integration_branch,
    slug,
    sub_task_file,
)
from pm_orchestrator.domain.tasks.phase import FIRST_PHASE, IllegalTransitionError, Phase, enter
from pm_orchestrator.domain.tasks.status import (
    EXIT_ERROR,
    EXIT_INCOMPLETE,
    EXIT_OK,
    PRIORITY,
    TaskStatus,
    aggregate,
    exit_code,
)
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.testing.memory.fake_clock import START

statuses = st.lists(st.sampled_from(TaskStatus))
titles = st.one_of(
    st.text(),
    st.sampled_from(
        [
            *(
                "",
                " ",
                "ログイン画面を追加する",
                "Ünïcödé Títle",
                "..",
                "a..b",
                "x.lock",
                "@{",
                "-",
                "/",
            ),
            *(
                "refs/heads/main",
                "a\nb",
                "\x00",
                "~^:?*[\\",
                "HEAD",
                "🚀 launch",
                "A" * 500,
                "agent/x",
            ),
        ]
    ),
)
tickets = st.builds(ticket_id, st.just(START), st.from_regex(r"[0-9a-f]{4,12}", fullmatch=True))


class PhaseMachine(RuleBasedStateMachine):
    """R-4 Seven-Phase Lifecycle Enforcement: only the next phase can be entered."""

    def __init__(self) -> None:
        super().__init__()
        self.entered: list[Phase] = []

    @rule(wanted=st.sampled_from(Phase))
    def try_to_enter(self, wanted: Phase) -> None:
        current = self.entered[-1] if self.entered else None
        expected = list(Phase)[len(self.entered) : len(self.entered) + 1]
        if [wanted] == expected:
            self.entered.append(enter(current, wanted))
            return
        with pytest.raises(IllegalTransitionError) as caught:
            enter(current, wanted)
        skipped = bool(expected) and list(Phase).index(wanted) > list(Phase).index(expected[0])
        assert caught.value.code == ("E202" if skipped else "E203")

    @rule()
    def go_on(self) -> None:
        if len(self.entered) < len(Phase):
            self.try_to_enter(list(Phase)[len(self.entered)])

    @invariant()
    def nothing_was_left_out(self) -> None:
        assert self.entered == list(Phase)[: len(self.entered)]


class TestPhaseOrder(PhaseMachine.TestCase):
    """R-4 Seven-Phase Lifecycle Enforcement: no phase is skipped, repeated or reordered."""


def test_there_are_seven_phases() -> None:
    """R-4 Seven-Phase Lifecycle Enforcement: the table holds the seven phases in order."""
    assert [phase.value for phase in Phase] == [
        *("REQUIREMENT_ANALYSIS", "TASK_DECOMPOSITION", "PLANNING", "EXECUTION", "QA"),
        *("COMPLETION_VALIDATION", "REPORT"),
    ]
    assert FIRST_PHASE is Phase.REQUIREMENT_ANALYSIS


@given(statuses)
def test_the_worst_status_wins(given_statuses: list[TaskStatus]) -> None:
    worst_first = ["INVALID", "ERROR", "NO_EVIDENCE", "INCOMPLETE", "COMPLETE"]
    assert [status.value for status in PRIORITY] == worst_first
    expected = min(
        given_statuses, key=lambda s: worst_first.index(s), default=TaskStatus.INCOMPLETE
    )
    assert aggregate(given_statuses) is expected
    assert aggregate(reversed(given_statuses)) is expected


@given(statuses, st.sampled_from(TaskStatus))
def test_more_work_never_improves_a_status(before: list[TaskStatus], more: TaskStatus) -> None:
    rank = PRIORITY.index
    if before:
        assert rank(aggregate([*before, more])) <= rank(aggregate(before))


@given(st.lists(st.sampled_from(TaskStatus), min_size=1))
def test_only_complete_work_exits_with_zero(given_statuses: list[TaskStatus]) -> None:
    code = exit_code(aggregate(given_statuses))
    assert (code == EXIT_OK) == (set(given_statuses) == {TaskStatus.COMPLETE})
    failed = {TaskStatus.ERROR, TaskStatus.INVALID} & set(given_statuses)
    assert code == (EXIT_OK if code == EXIT_OK else EXIT_ERROR if failed else EXIT_INCOMPLETE)


def test_a_log_has_three_words_for_five_verdicts() -> None:
    assert {status: log_status(status) for status in TaskStatus} == {
        TaskStatus.COMPLETE: TaskLogStatus.COMPLETE,
        TaskStatus.INCOMPLETE: TaskLogStatus.INCOMPLETE,
        TaskStatus.NO_EVIDENCE: TaskLogStatus.INCOMPLETE,
        TaskStatus.ERROR: TaskLogStatus.ERROR,
        TaskStatus.INVALID: TaskLogStatus.ERROR,
    }


@given(tickets, st.integers(1, 99), titles)
def test_sub_task_files(parent: str, index: int, title: str) -> None:
    """E-4 Sub-Task File Naming Convention: `<parent-id>-<sub-id>.md`, whatever the title."""
    ticket = sub_ticket_id(parent, index)
    sub = SubTask(
        ticket=ticket,
        parent_id=parent,
        title=title,
        description="",
        acceptance_criteria=(),
        expected_files=(),
    )
    name = sub_task_file(parent, sub.sub_id)
    assert name == f"{ticket}.md"
    assert re.fullmatch(r"\d{8}-[0-9a-z]{4}-\d\d\.md", name)
    assert re.fullmatch(r"\d{8}-[0-9a-z]{4}-\d\d", ticket)


@given(tickets, titles)
def test_branches(ticket: str, title: str) -> None:
    """E-6 Git Naming Conventions: branches are `agent/<ticket-id>-<description>`."""
    for branch in (branch_name(ticket, title), integration_branch(ticket)):
        assert re.fullmatch(rf"agent/{ticket}-[a-z0-9]+(-[a-z0-9]+)*", branch)
    assert len(slug(title)) <= SLUG_LENGTH
    assert slug(slug(title)) == slug(title)


@given(tickets, st.text())
def test_commit_messages(ticket: str, description: str) -> None:
    """E-6 Git Naming Conventions: commits are `[<ticket-id>] <description>` on one line."""
    message = commit_message(ticket, description)
    assert message.startswith(f"[{ticket}] ")
    assert message == message.strip()
    assert message.isprintable()
    assert len(message) > len(f"[{ticket}] ")
    assert len(message.splitlines()) == 1
