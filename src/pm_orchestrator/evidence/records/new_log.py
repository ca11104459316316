"""A task log as it begins: what was asked, and nothing found yet."""

from pathlib import Path

from pm_orchestrator.domain.history.log_contents import UserInput, event_of
from pm_orchestrator.domain.history.session import UnfinishedTask
from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogStatus, VisibilityLevel
from pm_orchestrator.domain.tasks.evidence_record import ArtifactList

SUMMARY_LENGTH = 100


def new_log(task: UnfinishedTask, log_id: str, now: str, root: Path, parent: str | None) -> TaskLog:
    """The first content of a task's log; `task.prompt` is masked already."""
    first = event_of(UserInput(text=task.prompt), now)
    return TaskLog(
        task_id=task.task_id,
        log_id=log_id,
        session_id=task.session_id,
        status=TaskLogStatus.QUEUED,
        started_at=now,
        ended_at=None,
        prompt_summary=" ".join(task.prompt.split())[:SUMMARY_LENGTH],
        runner_decision="accept",
        error_reason=None,
        artifacts=ArtifactList(),
        visibility=VisibilityLevel.SUMMARY,
        masked=True,
        events=(first,),
        thread_id=task.thread_id,
        run_id=task.run_id,
        parent_task_id=parent,
        created_at=now,
        evidence_refs=(),
        verification_root=str(root),
        verified_files=(),
    )
