"""The parts that watch over a project directory, put together."""

import asyncio
from pathlib import Path

from pm_orchestrator.adapters.git.command import Git, isolated_environment
from pm_orchestrator.adapters.git.rescue.git_rescue import GitRescue
from pm_orchestrator.adapters.git.rescue.git_saved_files import GitSavedFiles
from pm_orchestrator.adapters.git.rescue.rescue_place import RescuePlaces
from pm_orchestrator.adapters.git.user.git_ignored import GitIgnored
from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.config import load_settings
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.evidence.chain.tamper import SealedRecords
from pm_orchestrator.evidence.look.snapshot import Walk
from pm_orchestrator.evidence.look.stat_cache import StatCache, load_cache
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.runner.places.record_guard import RecordGuard
from pm_orchestrator.runner.places.workspace import LastLook, Workspace

NANOSECONDS = 1_000_000_000


class ProjectWatch:
    """What one project needs to be looked at, saved and put back; one per run."""

    def __init__(self, app: Application, run: Path) -> None:
        self._app = app
        logs = RunLogs(run, app.masker, app.clock)
        git = Git(
            app.commands,
            app.clock,
            lambda line: _log(run, logs, line),
            isolated_environment(app.environment.search_path),
        )
        name = app.head_file.stem
        self._cache_file = app.environment.state_home / "stat" / f"{name}.msgpack"
        self._cache = app.stat_cache = app.stat_cache or self._load()
        self.rescue = GitRescue(RescuePlaces(git, app.environment.state_home / "rescue", name))
        self.saved_files = GitSavedFiles(git)
        app.last_look = app.last_look or LastLook()
        self.workspace = Workspace(
            app.paths.root,
            Walk(app.paths.root, self._cache, self._now_ns),
            GitIgnored(git),
            self.rescue,
            app.last_look,
        )

    def guard(self) -> RecordGuard:
        """Watches over the project's records and the policy in force."""
        app = self._app
        records = SealedRecords(
            app.paths.claude,
            app.head_file,
            app.paths.settings,
            app.paths.owners,
            lambda: to_json(load_settings(app.paths)).decode(),
            self._now_ns,
        )
        return RecordGuard(records, app.files, app.recorder, app.recorder.reread)

    def remember(self) -> None:
        """Keep what was seen for the next task; losing it costs only time."""
        if not self._cache.changed:
            return
        draft = self._cache_file.with_suffix(".draft")
        draft.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(self._cache.dump())
        draft.replace(self._cache_file)

    def _load(self) -> StatCache:
        try:
            return load_cache(self._cache_file.read_bytes())
        except OSError:
            return StatCache()

    def _now_ns(self) -> int:
        return int(self._app.clock.now().timestamp() * NANOSECONDS)


async def _log(run: Path, logs: RunLogs, line: str) -> None:
    # The executor may have taken the directory away; the calls after it are still logged.
    await asyncio.to_thread(run.mkdir, parents=True, exist_ok=True)
    await logs.json_line("git.log", line)
