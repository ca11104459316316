"""What each command prints with `--json`: one type per command, from which the schemas are made.

Only the reference pages and the tests read this; a command names its type by what it encodes,
and a test holds the two together.
"""

from typing import Any

from pm_orchestrator.bootstrap.doctor.cleaning import CleanReport
from pm_orchestrator.bootstrap.doctor.examination import DoctorReport
from pm_orchestrator.bootstrap.sandboxing.sandbox_shop import LayerState, SandboxState
from pm_orchestrator.cli.bench.ratios import Ratio
from pm_orchestrator.cli.command_end import CommandEnd
from pm_orchestrator.cli.commands.setup.init import InitReport
from pm_orchestrator.cli.pages.prune_page import PruneEnd
from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogEntry
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.domain.tasks.evidence_record import Evidence
from pm_orchestrator.evidence.chain.integrity import IntegrityReport
from pm_orchestrator.ports.forge import ReviewRecord
from pm_orchestrator.runner.sessions.run_list import RunLine
from pm_orchestrator.runner.sessions.run_watch import Happening
from pm_orchestrator.runner.sessions.session_view import SessionView
from pm_orchestrator.runner.tasks.task_diff import TaskDiff
from pm_orchestrator.runner.tasks.undo import UndoEnd

JSON_OUTPUTS: dict[str, Any] = {
    "accept TASK": CommandEnd,
    "approve SESSION": SessionView,
    "bench": tuple[Ratio, ...],
    "cancel TASK": CommandEnd,
    "continue SESSION": CommandEnd,
    "demo": CommandEnd,
    "diff": TaskDiff,
    "doctor": DoctorReport,
    "doctor --clean": CleanReport,
    "evidence show ID": Evidence,
    "evidence verify": IntegrityReport,
    "init": InitReport,
    "logs": tuple[TaskLogEntry, ...],
    "logs TASK": TaskLog,
    "prune": PruneEnd,
    "reply TASK TEXT": CommandEnd,
    "resume RUN": CommandEnd,
    "review list": tuple[ReviewRecord, ...],
    "review show ID": ReviewRecord,
    "run INSTRUCTION": CommandEnd,
    "runs": tuple[RunLine, ...],
    "sandbox build": LayerState,
    "sandbox list": SandboxState,
    "start": SessionView,
    "status": SessionView,
    "undo TASK": UndoEnd,
    "validate": Settings,
    "watch": Happening,
}
"""By the way the command is called; `watch` prints one such object per line."""
