"""The end of a task as its records have it, for whoever looks at it later."""

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.report import Spent
from pm_orchestrator.domain.history.task_log import TaskLog
from pm_orchestrator.domain.judging.gate import GateReport
from pm_orchestrator.domain.judging.line_changes import ChangedLines
from pm_orchestrator.domain.tasks.run_ids import RunIds
from pm_orchestrator.evidence.records.open_log import TERMINAL
from pm_orchestrator.evidence.records.task_facts import FactsBook, TaskFacts
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.spent_on_models import spent_by_task
from pm_orchestrator.runner.records.task_result import spent_in
from pm_orchestrator.runner.tasks.task_diff import lines_in


class EndOnRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What stands below a verdict, as far as it is on record."""

    words: str
    """The agent's last ones."""
    gates: GateReport | None
    lines: tuple[ChangedLines, ...]
    spent: Spent
    unlisted_changes: int = 0


async def end_on_record(project: Project, log: TaskLog) -> EndOnRecord | None:
    """The end of the task, or nothing while it goes on."""
    if log.status not in TERMINAL:
        return None
    found = facts_on_record(project, log)
    gates = None if found is None else found.facts.gates
    return EndOnRecord(
        words=last_words(log),
        gates=gates,
        lines=await lines_in(project, log),
        spent=spent_by_task(project, log.task_id, spent_in(log, gates=gates)),
        unlisted_changes=0 if found is None else found.facts.unlisted_changes,
    )


def last_words(log: TaskLog) -> str:
    """What the agent said last, in the last run of the task."""
    return log.executor_summary if isinstance(log.executor_summary, str) else ""


def facts_on_record(project: Project, log: TaskLog) -> TaskFacts | None:
    """What the Runner found, and what was said to it; nothing where it came to no verdict."""
    ids = RunIds(session_id=log.session_id, task_id=log.task_id, run_id=log.run_id)
    try:
        return FactsBook(project.files, project.paths.claude, project.masker).read(ids)
    except PmError:
        # Also one that is damaged: here it is only shown, and `evidence verify` tells.
        return None
