"""The questions that stand in where a blocked executor asks nothing itself.

In both languages at once, as the specification words them: whoever reads the
answer box may not be the one who chose the language.
"""

from pm_orchestrator.domain.history.task_log import BlockedReason
from pm_orchestrator.domain.tasks.task import TaskType

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
