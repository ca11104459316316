"""Each check of the doctor, and the box around them."""

import asyncio
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.bootstrap.doctor import (
    places,
    programs as tools,
    project_checks as project,
    services,
)
from pm_orchestrator.bootstrap.doctor.examination import CHECKS, Check, examine
from pm_orchestrator.bootstrap.doctor.surroundings import Finding, Surroundings, surroundings_at
from pm_orchestrator.bootstrap.doctor.waiting import in_own_thread
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.registry import Family
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.session import UnfinishedTask, UnfinishedTasks
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.setup.settings import CompanySettings, default_settings
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.ports.adapter import AdapterSite, Needs
from pm_orchestrator.ports.message_queue import MessageQueue, QueueFactory


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def surroundings(folder: Path, lang: Lang = "en", **variables: str) -> Surroundings:
    given = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), **variables}
    return surroundings_at(read_environment(given), folder, lang)


def program(folder: Path, name: str, body: str) -> str:
    """A program of this name; the result is the PATH that finds it first."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    path.chmod(0o755)
    return f"{path.parent}:{os.environ['PATH']}"


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def pid_of_the_dead() -> int:
    ended = subprocess.Popen(["true"])
    ended.wait()
    return ended.pid


def only(findings: list[Finding]) -> Finding:
    (finding,) = findings
    return finding


class TestTheBox:
    async def examined(self, folder: Path, check: Check, seconds: float = 5.0) -> Finding:
        report = await examine(surroundings(folder), lambda _: None, {"it": (check, seconds)})
        assert report.well is (only(list(report.findings)).level != "problem")
        return report.findings[0]

    async def test_a_check_that_crashes_is_a_finding(self, tmp_path: Path) -> None:
        async def broken(_: Surroundings) -> list[Finding]:
            raise ZeroDivisionError("by zero")

        finding = await self.examined(tmp_path, broken)
        assert finding.level == "problem"
        assert "ZeroDivisionError: by zero" in finding.finding
        assert "doctor --report" in (finding.cure or "")

    async def test_an_error_of_ours_brings_its_cure(self, tmp_path: Path) -> None:
        async def refused(_: Surroundings) -> list[Finding]:
            raise PmError("no_claude_dir", path="/here")

        finding = await self.examined(tmp_path, refused)
        assert finding.finding.startswith("E101: ")
        assert finding.cure == PmError("no_claude_dir", path="/here").hint()

    async def test_a_check_that_hangs_is_given_up(self, tmp_path: Path) -> None:
        async def hangs(_: Surroundings) -> list[Finding]:
            return await in_own_thread(lambda: time.sleep(30) or [])

        others = set(threading.enumerate())
        began = time.monotonic()
        finding = await self.examined(tmp_path, hangs, seconds=0.2)
        assert time.monotonic() - began < 5
        assert finding.finding == "no answer within 0.2 s"
        # The thread left behind keeps nobody from leaving.
        left = set(threading.enumerate()) - others
        assert left
        assert all(thread.daemon for thread in left)

    async def test_a_slow_check_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pm_orchestrator.bootstrap.doctor.examination.SLOW_S", 0.02)

        async def slow(_: Surroundings) -> list[Finding]:
            await asyncio.sleep(0.3)
            return []

        async def quick(_: Surroundings) -> list[Finding]:
            return []

        named: list[str] = []
        checks = {"slow": (slow, 5.0), "quick": (quick, 5.0)}
        await examine(surroundings(tmp_path), named.append, checks)
        assert named == ["slow"]

    async def test_a_failure_in_a_thread_is_raised_where_it_is_awaited(self) -> None:
        def fails() -> None:
            raise OSError("gone")

        with pytest.raises(OSError, match="gone"):
            await in_own_thread(fails)

    def test_every_part_of_the_machine_is_looked_at(self) -> None:
        wanted = {"python", "git", "claude", "codex", "gemini", "opencode", "sandboxes", "redis"}
        assert wanted | {"keys", "places", "settings", "evidence", "owners"} <= set(CHECKS)
        assert all(0 < seconds <= 60 for _, seconds in CHECKS.values())


class TestTools:
    async def test_git(self, tmp_path: Path) -> None:
        assert only(await tools.git(surroundings(tmp_path))).level == "ok"
        missing = only(await tools.git(surroundings(tmp_path, PATH=str(tmp_path))))
        assert missing.level == "problem"
        assert "apt-get install git" in (missing.cure or "")

    @pytest.mark.parametrize(
        ("said", "level", "finding"),
        [
            ("git version 2.37.9", "problem", "2.37.9 is too old"),
            ("git version 2.38.0", "ok", "2.38.0"),
            ("git version 2.39.5 (Apple Git-154)", "ok", "2.39.5"),
            ("git version 3.0.1.windows.1", "ok", "3.0.1"),
            ("what?", "problem", "does not tell its version"),
        ],
    )
    async def test_versions_of_git(
        self, tmp_path: Path, said: str, level: str, finding: str
    ) -> None:
        path = program(tmp_path, "git", f"echo '{said}'")
        found = only(await tools.git(surroundings(tmp_path, PATH=path)))
        assert found.level == level
        assert finding in found.finding
        assert (found.cure is not None) is (level == "problem")

    async def test_a_coding_cli(self, tmp_path: Path) -> None:
        codex = tools.coding_cli("codex")
        missing = only(await codex(surroundings(tmp_path, PATH=str(tmp_path))))
        assert (missing.level, missing.cure) == ("note", None)
        path = program(tmp_path, "codex", "printf 'codex-cli 1.2\\033[1m\\nmore\\n'")
        found = only(await codex(surroundings(tmp_path, PATH=path)))
        assert (found.level, found.finding) == ("ok", f"codex-cli 1.2[1m ({tmp_path}/bin/codex)")
        path = program(tmp_path, "codex", "echo 'no node' >&2; exit 3")
        broken = only(await codex(surroundings(tmp_path, PATH=path)))
        assert broken.level == "note"
        assert "no node" in broken.finding
        assert "codex --version" in (broken.cure or "")

    async def test_something_must_be_able_to_work(self, tmp_path: Path) -> None:
        nothing = only(await tools.ways_to_work(surroundings(tmp_path, PATH="/nowhere")))
        assert nothing.level == "problem"
        assert "claude-code" in nothing.finding
        assert "ANTHROPIC_API_KEY" in (nothing.cure or "")
        key = "sk-ant-" + "x" * 30
        by_key = await tools.ways_to_work(
            surroundings(tmp_path, PATH="/nowhere", ANTHROPIC_API_KEY=key)
        )
        assert only(by_key).level == "ok"
        path = program(tmp_path, "claude", "echo 2.0")
        assert only(await tools.ways_to_work(surroundings(tmp_path, PATH=path))).level == "ok"

    async def test_who_is_not_logged_in_is_told_how(self, tmp_path: Path) -> None:
        says = "echo '{\"loggedIn\": false}'; exit 1"
        path = program(tmp_path, "claude", f'[ "$1" = auth ] || exit 9; {says}')
        found = only(await tools.ways_to_work(surroundings(tmp_path, PATH=path)))
        assert (found.level, "not logged in" in found.finding) == ("problem", True)
        assert "`claude auth login`" in (found.cure or "")
        found = only(await tools.ways_to_work(surroundings(tmp_path, "ja", PATH=path)))
        assert "ログイン" in found.finding
        # What can be seen is not asked for: a helper of the project may not be known elsewhere.
        settings = tmp_path / ".claude" / "settings.local.json"
        settings.parent.mkdir()
        for body, level in (
            ('{"apiKeyHelper": "pass show key"}', "ok"),
            ('{"env": {"ANTHROPIC_AUTH_TOKEN": "x"}}', "ok"),
            ('{"env": {"TERM": "x"}}', "problem"),
            ('{"env": 1', "problem"),
        ):
            settings.write_text(body, "utf-8")
            found = only(await tools.ways_to_work(surroundings(tmp_path, PATH=path)))
            assert found.level == level, body
        token = surroundings(tmp_path, PATH=path, CLAUDE_CODE_OAUTH_TOKEN="x")
        assert only(await tools.ways_to_work(token)).level == "ok"
        # An older one does not know the question.
        path = program(tmp_path, "claude", "echo 'unknown command' >&2; exit 1")
        assert only(await tools.ways_to_work(surroundings(tmp_path, PATH=path))).level == "ok"

    async def test_python_that_is_too_old(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert only(await tools.python(surroundings(tmp_path))).level == "ok"
        monkeypatch.setattr(tools, "LEAST_PYTHON", (99, 0))
        assert "99.0" in (only(await tools.python(surroundings(tmp_path))).cure or "")


class Wanting(QueueFactory):
    @property
    @override
    def needs(self) -> Needs:
        return Needs(variables=("BUS_URL",))

    @override
    def open(self, site: AdapterSite) -> MessageQueue:
        raise NotImplementedError


class TestServices:
    async def test_what_an_adapter_needs_is_asked_of_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert await services.needs(surroundings(tmp_path)) == []
        members = {"file": f"{__name__}:Wanting"}
        queues: Family[QueueFactory] = Family("queues", "message_queue:QueueFactory", members)
        monkeypatch.setattr(services, "QUEUES", queues)
        missing = only(await services.needs(surroundings(tmp_path)))
        assert (missing.check, missing.level) == ("BUS_URL", "problem")
        assert "company.message_queue" in (missing.cure or "")
        there = only(await services.needs(surroundings(tmp_path, BUS_URL="nats://user:hunter2@h")))
        assert there.level == "ok"
        assert "hunter2" not in str(there)

    async def test_keys_are_set_or_not_and_nothing_else_is_said(self, tmp_path: Path) -> None:
        secret = "sk-ant-api03-" + "Zq8" * 12
        found = await services.keys(
            surroundings(tmp_path, ANTHROPIC_API_KEY=secret, OPENAI_API_KEY="")
        )
        said = {f.check: f.finding for f in found}
        assert said["ANTHROPIC_API_KEY"] == "SET"
        assert said["OPENAI_API_KEY"] == said["GEMINI_API_KEY"] == "NOT SET"
        assert secret[:8] not in str(found)

    @pytest.mark.parametrize(
        ("name", "instead"),
        [("claude-sonnet-4-5", "claude-sonnet-5-5"), ("claude-sonnet-5-5", None), ("mine", None)],
    )
    async def test_a_model_that_ends_is_told_with_what_takes_its_place(
        self, tmp_path: Path, name: str, instead: str | None
    ) -> None:
        chosen = replace(default_settings(), company=CompanySettings(model=name))
        found = await services.model(replace(surroundings(tmp_path), settings=chosen))
        if instead is None:
            assert found == []
        else:
            assert only(found).level == "note"
            assert "2026-11-30" in only(found).finding
            assert instead in (only(found).cure or "")

    async def test_redis_is_not_mentioned_where_there_is_none(self, tmp_path: Path) -> None:
        assert await services.redis(surroundings(tmp_path)) == []

    @pytest.mark.parametrize(
        ("answer", "level"),
        [
            (b"+PONG\r\n", "ok"),
            (b"-NOAUTH x\r\n", "ok"),
            (b"HTTP/1.1 400\r\n", "note"),
            (b"", "note"),
        ],
    )
    async def test_redis_that_answers(self, tmp_path: Path, answer: bytes, level: str) -> None:
        async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(answer)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        url = f"redis://user:hunter2@127.0.0.1:{port}/0"
        found = only(await services.redis(surroundings(tmp_path, REDIS_URL=url)))
        server.close()
        assert found.level == level
        assert f"127.0.0.1:{port}" in found.finding
        assert "hunter2" not in str(found)

    @pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "127.0.0.1:1", "redis://[bad"])
    async def test_redis_that_is_down(self, tmp_path: Path, url: str) -> None:
        found = only(await services.redis(surroundings(tmp_path, REDIS_URL=url)))
        assert found.level == "note"
        assert found.cure


class TestPlaces:
    async def test_writable_places_leave_nothing_behind(self, tmp_path: Path) -> None:
        found = await places.places(surroundings(tmp_path))
        assert [f.level for f in found] == ["ok"] * 3
        assert names_in(tmp_path) == []

    async def test_a_place_that_cannot_be_written_to(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        found = await places.places(surroundings(tmp_path, XDG_STATE_HOME=str(tmp_path / "file")))
        assert [f.level for f in found] == ["ok", "problem", "ok"]
        assert "XDG_STATE_HOME" in (found[1].cure or "")

    @pytest.mark.parametrize(
        ("free", "level"), [(99 * 1024**2, "problem"), (1024**3 - 1, "note"), (2 * 1024**3, "ok")]
    )
    async def test_room(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, level: str
    ) -> None:
        def usage(_: Path) -> Usage:
            return Usage(free, 0, free)

        monkeypatch.setattr(shutil, "disk_usage", usage)
        assert {f.level for f in await places.places(surroundings(tmp_path))} == {level}


class TestTheProject:
    async def test_a_directory_that_is_no_project_is_only_noted(self, tmp_path: Path) -> None:
        found = only(await project.settings(surroundings(tmp_path)))
        assert (found.level, "init" in (found.cure or "")) == ("note", True)
        for check in (project.evidence, project.owners, project.unfinished):
            assert await check(surroundings(tmp_path)) == []

    async def test_settings_and_state_that_are_wrong(self, tmp_path: Path) -> None:
        await init_at(tmp_path, adopt=False)
        assert only(await project.settings(surroundings(tmp_path))).level == "ok"
        (tmp_path / ".claude/settings.json").write_text('{"task_limits": 3}', "utf-8")
        (tmp_path / ".claude/repl.json").write_text("{", "utf-8")
        found = await project.settings(surroundings(tmp_path, "ja"))
        assert [f.level for f in found] == ["problem", "problem"]
        assert [f.finding[:4] for f in found] == ["E104", "E105"]
        assert all(f.cure for f in found)

    async def test_broken_evidence(self, tmp_path: Path) -> None:
        await init_at(tmp_path, adopt=False)
        (tmp_path / ".claude/evidence/chain.jsonl").write_text("nonsense\n", "utf-8")
        found = only(await project.evidence(surroundings(tmp_path)))
        assert found.level == "problem"
        assert "evidence verify" in (found.cure or "")

    async def test_owners_and_unfinished_tasks(self, tmp_path: Path) -> None:
        await init_at(tmp_path, adopt=False)
        gone = pid_of_the_dead()
        owners = tmp_path / ".pm-orchestrator/runtime/state/owners"
        owners.mkdir(parents=True)
        assert only(await project.owners(surroundings(tmp_path))).level == "ok"
        for name, pid in (("alive", os.getpid()), ("dead", gone), ("executing", gone)):
            (owners / f"{name}.json").write_text(f'{{"token": 1, "pid": {pid}}}', "utf-8")
        found = await project.owners(surroundings(tmp_path))
        assert [f.level for f in found] == ["ok", "note"]
        assert f"alive belongs to process {os.getpid()}" in found[0].finding
        assert found[1].finding == "1 records of processes that are gone"

        def task(session: str) -> UnfinishedTask:
            name = f"task-{session}"
            return UnfinishedTask(
                session_id=session, task_id=name, thread_id="t", run_id="run_001", prompt="p"
            )

        ledger = UnfinishedTasks(tasks=(task("alive"), task("dead")))
        (owners.parent / "unfinished.json").write_bytes(to_file(ledger))
        running, dead = await project.unfinished(surroundings(tmp_path))
        assert "being worked on" in running.finding
        assert "watch task-alive" in (running.cure or "")
        assert "task-dead is gone" in dead.finding
        assert "--clean" in (dead.cure or "")
