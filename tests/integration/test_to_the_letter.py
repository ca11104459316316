"""What tasks leave on disk, file by file and field by field; `UPDATE_LEFT=1` writes it anew.

`test_records_on_disk` holds it against the specification. Here every value that changes is seen,
so look at each that differs before you keep it.
"""

import json
import os
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import BlockedReason
from pm_orchestrator.domain.record import Record, to_json
from pm_orchestrator.ports.executor import Executor
from pm_orchestrator.runner.project.looking import runs_of
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import approve_session, start_session
from pm_orchestrator.runner.project.selecting import select_model, select_provider
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.tasks.accept import accept_task
from pm_orchestrator.runner.tasks.cancel import cancel_task
from pm_orchestrator.runner.tasks.run_task import continue_task, reply_task, run_task
from pm_orchestrator.runner.tasks.task_diff import diff_of
from pm_orchestrator.runner.tasks.undo import undo_task
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FrozenClock
from pm_orchestrator.testing.scripted.fake_executors import (
    AskingFake,
    BlockedFake,
    ErrorFake,
    FixedExecutors,
    SuccessFake,
)

KNOWN = Path(__file__).with_name("left_on_disk")
MAKEFILE = "lint:\n\t@echo fine\ntest:\n\t@test ! -e broken.py && echo '1 passed'\n"
OTHERWISE = [
    (re.compile(r'"(pid|boot|start_time|started|duration_ms|size|processing_time_ms)": ?[^,}]+'),
     r'"\1": "…"'),
    (re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b"), "<hash>"),
    (re.compile(r"\b\d+ bytes\b|\b\d+(?:\.\d+)? ?m?s\b"), "<amount>"),
]  # fmt: skip
"""What differs from machine to machine, or every time."""
LEFT_OUT = re.compile(
    r"\.(?:room|lock|gitignore)$|pruning|/evidence/(?:chain|ev-)|\.claude/(?:settings|CLAUDE)|git\.log$"
)
SETTINGS = {"settings", "timeouts", "limits"}
"""What a project says, and not what was done in it."""


class Stage:
    """One project, and what was told to whoever asked."""

    def __init__(self, root: Path, project: Project, clock: FrozenClock) -> None:
        self.root = root
        self.project = project
        self._clock = clock
        self.told: list[str] = []
        self.session: OpenSession | None = None

    def by(self, executor: Executor) -> None:
        self.project.executors = FixedExecutors(executor)

    async def does(self, work: Awaitable[object]) -> None:
        self._clock.advance(60)
        try:
            end = await work
        except PmError as error:
            self.told.append(f"{error.code} {error.slug}")
            return
        if isinstance(end, Record):
            end = to_json(end).decode()
        self.told.append(str(end))

    async def run(self, instruction: str, executor: Executor | None = None) -> None:
        if executor is not None:
            self.by(executor)
        await self.does(run_task(self.project, instruction, session=self.session))

    def task(self) -> str:
        """The latest one that has a log."""
        lines = [line for line in runs_of(self.project) if line.task_id]
        return max(lines, key=lambda line: line.run_id).task_id or ""

    def left(self) -> dict[str, str]:
        """Every file of ours, and what was told, without what differs every time."""
        found = {"told": "\n".join(self.told)}
        for top in (".claude", ".pm-orchestrator"):
            for path in sorted((self.root / top).rglob("*")):
                name = path.relative_to(self.root).as_posix()
                if path.is_file() and not path.is_symlink() and not LEFT_OUT.search(name):
                    found[self._plain(name)] = path.read_text("utf-8", "replace")
        return {name: self._plain(_compact(text)) for name, text in found.items()}

    def _plain(self, text: str) -> str:
        text = text.replace(str(self.root), "<root>").replace(str(self.root.parent), "<home>")
        for pattern, instead in OTHERWISE:
            text = pattern.sub(instead, text)
        return text


def _compact(text: str) -> str:
    """JSON in one line, without what holds nothing."""
    try:
        document = json.loads(text)
    except ValueError:
        return text
    return json.dumps(_full(document), ensure_ascii=False)


def _full(value: Any) -> Any:
    if isinstance(value, dict):
        pairs = {k: _full(v) for k, v in cast("dict[str, Any]", value).items()}
        return {k: v for k, v in pairs.items() if v not in (None, [], {}) and k not in SETTINGS}
    return [_full(v) for v in cast("list[Any]", value)] if isinstance(value, list) else value


@pytest.fixture
async def stage(tmp_path: Path) -> Stage:
    root = tmp_path / "project"
    root.mkdir()
    (root / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    (root / "notes.md").write_text("# Notes\n\nOne.\n", encoding="utf-8")
    await init_at(root, adopt=False)
    home = str(tmp_path)
    variables = {"HOME": home, "PATH": "/usr/bin:/bin", "XDG_STATE_HOME": home}
    clock = FrozenClock()
    project = await open_project(read_environment(variables), root, clock, CountingIds())
    return Stage(root, project, clock)


async def done_undone_and_done_again(stage: Stage) -> None:
    await stage.run("create README.md", SuccessFake("README.md"))
    await stage.does(diff_of(stage.project, stage.task()))
    await stage.does(undo_task(stage.project, stage.task()))
    await stage.does(undo_task(stage.project, stage.task()))
    await stage.run("update notes.md", SuccessFake("notes.md", "# Notes\n\nTwo.\nThree.\n"))
    await stage.does(diff_of(stage.project, stage.task()))


async def asked_and_answered(stage: Stage) -> None:
    await stage.run("fix it", SuccessFake("notes.md", "# Notes\n\nFixed.\n"))
    await stage.does(reply_task(stage.project, stage.task(), "the typo in notes.md"))
    await stage.run("What does notes.md say?", AskingFake(["Which part?"]))
    await stage.does(reply_task(stage.project, stage.task(), "All of it"))
    await stage.run("Delete all files in the repository", SuccessFake("README.md"))
    await stage.does(reply_task(stage.project, stage.task(), "no"))


async def failed_stuck_and_cancelled(stage: Stage) -> None:
    await stage.run("create README.md", ErrorFake())
    await stage.run("create README.md", BlockedFake(BlockedReason.INTERACTIVE_PROMPT, "Go on?"))
    await stage.run("create README.md", BlockedFake(BlockedReason.TIMEOUT))
    await stage.run("fix it", SuccessFake("notes.md"))
    await stage.does(cancel_task(stage.project, stage.task()))
    await stage.does(undo_task(stage.project, stage.task()))
    await stage.does(undo_task(stage.project, "task-unknown"))


async def not_done_approved_and_accepted(stage: Stage) -> None:
    stage.session = await start_session(stage.project)
    await stage.run("create README.md and LICENSE", SuccessFake("README.md"))
    await stage.does(approve_session(stage.project, stage.session))
    await stage.does(continue_task(stage.project, stage.session))
    await stage.run("create CHANGELOG.md", SuccessFake("other.md"))
    await stage.does(accept_task(stage.project, stage.task(), session=stage.session))
    await stage.does(accept_task(stage.project, stage.task(), session=stage.session))
    await stage.session.leave()


async def gates_that_hold_and_break(stage: Stage) -> None:
    await stage.run("create tool.py with a function run", SuccessFake("tool.py", "def run(): 1\n"))
    await stage.run("create broken.py", SuccessFake("broken.py", "x = 1\n"))
    await stage.does(accept_task(stage.project, stage.task()))
    await stage.run("run the tests", SuccessFake("never.md"))


async def selected(stage: Stage) -> None:
    await stage.does(select_provider(stage.project, "claude-code", None))
    await stage.does(select_model(stage.project, "claude-fable", None))
    await stage.does(select_provider(stage.project, "nobody", None))
    await stage.run("create README.md", SuccessFake("README.md"))


PLAYS: dict[str, Callable[[Stage], Awaitable[None]]] = {
    play.__name__: play
    for play in (
        done_undone_and_done_again,
        asked_and_answered,
        failed_stuck_and_cancelled,
        not_done_approved_and_accepted,
        gates_that_hold_and_break,
        selected,
    )
}


@pytest.mark.parametrize("name", PLAYS)
async def test_what_is_left(stage: Stage, name: str) -> None:
    await PLAYS[name](stage)
    left = stage.left()
    known = KNOWN / f"{name}.json"
    if os.environ.get("UPDATE_LEFT"):
        known.parent.mkdir(exist_ok=True)
        known.write_text(json.dumps(left, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    expected = json.loads(known.read_text("utf-8"))
    assert left.keys() == expected.keys()
    assert {name: text for name, text in left.items() if text != expected[name]} == {}
