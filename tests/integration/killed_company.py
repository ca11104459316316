"""The program with scripted models, made to die by SIGKILL right after its N-th journal entry.

Arguments: N (0 for never), a file for notes, then the command line. An entry is the start
or the end of a step, or of the run itself. The notes say how many entries there were, and
which processes were alive when it died.
"""

import json
import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

import psutil

from pm_orchestrator.adapters.engines import journal
from pm_orchestrator.bootstrap.crews import company_crew
from pm_orchestrator.cli.program import run
from pm_orchestrator.runner.project.crew import TaskOptions
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.testing.scripted.demo_replies import REPLIES, scripted
from pm_orchestrator.testing.scripted.scripted_answers import ScriptedAnswers

FATAL, NOTES = int(sys.argv[1]), Path(sys.argv[2])


class Countdown:
    """Counts what is durable in the journal, and ends the process at the fatal entry."""

    def __init__(self) -> None:
        self.entries = 0

    def committed(self) -> None:
        self.entries += 1
        if self.entries == FATAL:
            self.note()
            os.kill(os.getpid(), signal.SIGKILL)

    def note(self) -> None:
        children = [child.pid for child in psutil.Process().children(recursive=True)]
        NOTES.write_text(json.dumps({"entries": self.entries, "children": children}), "utf-8")


class ScriptedCrew(company_crew.CompanyCrew):
    """The company with models that follow the demo's script."""

    def __init__(self, app: Project, options: TaskOptions) -> None:
        super().__init__(app, options, ScriptedAnswers(scripted(REPLIES)))


def main() -> int:
    countdown = Countdown()
    # Each entry is committed by itself, so that there is a moment after each to die in.
    commit = journal.Journal._commit

    def one_by_one(self: journal.Journal, db: sqlite3.Connection, batch: list[Any]) -> list[Any]:
        values: list[Any] = []
        for entry in batch:
            values += commit(self, db, [entry])
            countdown.committed()
        return values

    journal.Journal._commit = one_by_one
    company_crew.CompanyCrew = ScriptedCrew
    code = run(sys.argv[3:])
    countdown.note()
    return code


if __name__ == "__main__":
    sys.exit(main())
