"""The block printed the moment a task ends, the same in a conversation and in a pipe."""

from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.status import SHOWN, TaskStatus
from pm_orchestrator.domain.text import Lang


def summary_block(task_id: str, status: TaskStatus, reason: str, lang: Lang) -> str:
    """Result, task, what to do next, why, and where to look."""
    shown = SHOWN[status]
    complete = shown is TaskStatus.COMPLETE
    return "\n".join(
        (
            "=== TASK SUMMARY ===",
            f"[RESULT]  {shown}",
            f"[TASK]    {task_id}",
            f"[NEXT]    {say('next_more' if complete else 'next_logs', lang, task=task_id)}",
            f"[WHY]     {' '.join(reason.split())}",
            f"[HINT]    {say('hint_logs', lang, task=task_id)}",
            "====================",
        )
    )
