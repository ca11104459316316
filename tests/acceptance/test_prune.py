"""Retention as a user meets it: old raw logs go, everything that was proved stays provable."""

import asyncio
import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.ports.executor import ExecutorResult, ExecutorTask
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.project_sessions import owned
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.memory.fake_clock import FrozenClock
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.fake_executors import FixedExecutors, SuccessFake
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

TALK = "and then it said a word\n" * 1000


class TalkingFake(SuccessFake):
    """Its transcript is long enough to be worth compressing."""

    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        result = await super().answer(task)
        return ExecutorResult(claim=result.claim, exit_code=0, transcript=TALK)


class OldProject:
    """A project that was worked in some days ago, and is looked at by the program today."""

    def __init__(self, program: Program, root: Path) -> None:
        self._program = program
        self.root = root
        self.claude = root / ".claude"
        self.owners = root / ".pm-orchestrator" / "runtime" / "state" / "owners"

    def __call__(self, *arguments: str, env: Mapping[str, str] | None = None) -> Any:
        ran = self._program(*arguments, "--project", str(self.root), env=env)
        assert ran.code == 0, ran.out + ran.err
        return ran.json if "--json" in arguments else ran.out

    async def opened(self, days_ago: int) -> Project:
        clock = FrozenClock(SystemClock().now() - timedelta(days=days_ago))
        return await open_project(
            read_environment(dict(self._program.environment)), self.root, clock
        )

    def worked(self, days_ago: int, name: str = "made.md") -> RunResult:
        async def work() -> RunResult:
            app = await self.opened(days_ago)
            app.executors = FixedExecutors(TalkingFake(name))
            return await run_task(app, f"Create {name}")

        end = asyncio.run(work())
        # Whoever did it is long gone.
        (self.owners / f"{end.session_id}.json").unlink()
        return end

    def raw_logs(self, *ends: RunResult) -> list[list[Path]]:
        """Those that are there, of the sessions of some tasks."""
        folders = (self.claude / "raw" / end.session_id for end in ends)
        return [sorted(folder.glob("*.log*")) for folder in folders]

    def settings(self, block: str = "evidence_settings", **values: object) -> None:
        path = self.claude / "settings.json"
        settings = json.loads(path.read_text("utf-8"))
        settings.setdefault(block, {}).update(values)
        path.write_text(json.dumps(settings), "utf-8")


@pytest.fixture
def old(program: Program, project: Path) -> OldProject:
    return OldProject(program, project)


def test_old_raw_logs_go_and_the_rest_still_verifies(old: OldProject, program: Program) -> None:
    end, young = old.worked(40), old.worked(20, "young.md")
    assert (end.status, young.status) == ("COMPLETE", "COMPLETE")
    logs, others = old.raw_logs(end, young)
    size = sum(path.stat().st_size for path in logs)

    would = old("prune", "--dry-run", "--json")
    assert (would["pruned"], would["freed_bytes"], would["evidence_id"]) == (len(logs), size, None)
    assert old.raw_logs(end, young) == [logs, others]
    assert "Would prune" in old("prune", "--dry-run")

    did = old("prune", "--json")
    assert {**would, "dry_run": False} == {
        **did,
        "before": would["before"],
        "evidence_id": None,
        "kept": would["kept"],
        "kept_bytes": would["kept_bytes"],
    }
    assert old.raw_logs(end, young) == [[], others]
    report = old("evidence", "verify", "--json")
    assert (report["intact"], report["pruned"]) == (True, len(logs))
    assert f"{len(logs)} raw logs were pruned" in old("evidence", "verify")
    assert "Nothing to prune" in old("prune")

    # Its record is there; its raw log says where it went.
    name = logs[0].name.rpartition("_")[2].partition(".")[0]
    assert old("evidence", "show", f"ev-{name}", "--json")["raw_logs"].endswith(logs[0].name)
    gone = program("evidence", "show", f"ev-{name}", "--raw", "--project", str(old.root))
    assert gone.code == 1
    assert "ERROR E303" in gone.err
    assert "pruned" in gone.err
    # Logs and undo know the task as before.
    assert old("logs", end.task_id, "--session", end.session_id, "--json")["status"] == "complete"
    old("undo", end.task_id)
    assert not (old.root / "made.md").exists()
    assert old("evidence", "verify", "--json")["intact"]


def test_a_deleted_log_is_still_a_missing_log(old: OldProject, program: Program) -> None:
    end, young = old.worked(40), old.worked(20, "young.md")
    old("prune")
    old.raw_logs(young)[0][0].unlink()
    ran = program("evidence", "verify", "--json", "--project", str(old.root))
    assert (ran.code, ran.json["intact"], len(ran.json["problems"])) == (1, False, 1)
    # And without its tombstones nothing that was pruned is excused.
    next((old.claude / "raw" / "project").glob("prune_*")).unlink()
    ran = program("evidence", "verify", "--json", "--project", str(old.root))
    assert len(ran.json["problems"]) > 5
    assert old.raw_logs(end) == [[]]


def test_how_long_is_asked_of_the_call_and_then_of_the_settings(old: OldProject) -> None:
    end = old.worked(40)
    old.settings(retention_days=60)
    assert old("prune", "--json")["pruned"] == 0
    assert old("prune", "--older-than", "50", "--json")["pruned"] == 0
    assert old("prune", "--older-than", "30", "--json")["pruned"] > 0
    assert old.raw_logs(end) == [[]]


def test_an_incomplete_task_can_be_accepted_after_its_logs_went(old: OldProject) -> None:
    old.settings("gates", test=["no-such-program"])
    end = old.worked(40, "calc.py")
    assert end.status == "INCOMPLETE"
    assert old("prune", "--json")["pruned"] > 0
    accepted = old("accept", end.task_id, "--json")
    assert accepted["status"] == "COMPLETE"
    assert accepted["report"]["evidence_inventory"]["missing_evidence_operations"] == []
    assert old("evidence", "verify", "--json")["intact"]


def test_a_session_in_use_is_left_alone(old: OldProject) -> None:
    end = old.worked(40)

    async def held() -> None:
        async with owned(await old.opened(0), end.session_id):
            await asyncio.to_thread(old, "prune", "--json")

    before = old.raw_logs(end)
    asyncio.run(held())
    assert old.raw_logs(end) == before
    (old.owners / f"{end.session_id}.json").unlink()
    old("prune")
    assert old.raw_logs(end) == [[]]


def test_a_run_prunes_quietly_once_a_day(old: OldProject, claude: ClaudeScript) -> None:
    log = old.root / ".pm-orchestrator/runtime/state/pruning.log"
    first, second = old.worked(40), old.worked(35, "second.md")
    assert [line.split()[1:] for line in log.read_text("utf-8").splitlines()] == [
        ["pruned", "0"]
    ] * 2
    env = claude.does("echo '# Readme' > README.md")
    old("run", "--solo", "Create README.md", env=env)
    assert old.raw_logs(first, second) == [[], []]
    report = old("evidence", "verify", "--json")
    assert (report["intact"], report["pruned"] > 10) == (True, True)
    lines = log.read_text("utf-8").splitlines()
    assert lines[2].endswith(f" pruned {report['pruned']}")
    # Not again on the same day, however short the time is set.
    old.settings(retention_days=1)
    third = old.worked(0, "third.md")
    old("run", "--solo", "Create NOTES.md", env=claude.does("echo x > NOTES.md"))
    assert log.read_text("utf-8").splitlines() == lines
    assert old.raw_logs(third) != [[]]


def test_what_goes_wrong_quietly_is_written_down_and_stops_nobody(
    old: OldProject, claude: ClaudeScript
) -> None:
    first = old.worked(40)
    index = old.claude / "logs" / "sessions" / first.session_id / "index.json"
    index.write_bytes(b"{")
    old("run", "--solo", "Create README.md", env=claude.does("echo '# Readme' > README.md"))
    log = old.root / ".pm-orchestrator/runtime/state/pruning.log"
    assert " E302: " in log.read_text("utf-8").splitlines()[-1]
    assert old.raw_logs(first) != [[]]


@pytest.mark.parametrize("enabled", [True, False])
def test_long_raw_logs_are_compressed_where_the_settings_say_so(
    old: OldProject, enabled: bool
) -> None:
    old.settings(compression_enabled=enabled)
    end = old.worked(0)
    (logs,) = old.raw_logs(end)
    packed = [path for path in logs if path.suffix == ".gz"]
    assert bool(packed) is enabled
    assert old("evidence", "verify", "--json")["intact"]
    said = [old("evidence", "show", evidence, "--raw") for evidence in end.evidence_ids]
    assert sum(TALK.strip() in one for one in said) == 1
    assert sum(path.stat().st_size for path in logs) < len(TALK) or not enabled
