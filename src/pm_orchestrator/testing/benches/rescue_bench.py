"""A project with everything a rescue needs, and its files as they are."""

import os
import stat
from pathlib import Path

from pm_orchestrator.adapters.git.command import Git, isolated_environment
from pm_orchestrator.adapters.git.rescue.git_rescue import GitRescue
from pm_orchestrator.adapters.git.rescue.rescue_place import RescuePlaces
from pm_orchestrator.adapters.git.user.git_ignored import GitIgnored
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.evidence.look.differences import fingerprint
from pm_orchestrator.evidence.look.snapshot import DirectoryWalk, Rules
from pm_orchestrator.evidence.look.stat_cache import StatCache
from pm_orchestrator.ports.rescue import Restored, Saved, Tree
from pm_orchestrator.testing.benches.git_project import ENVIRONMENT

NAME = "run_001/task-1"


class RescueBench:
    """A project with everything a rescue needs."""

    def __init__(self, project: Path, home: Path, limit: int = 10**9) -> None:
        self.project = project
        self.home = home
        self.git_lines: list[str] = []

        async def sink(line: str) -> None:
            self.git_lines.append(line)

        trusted = LocalCommands().trusted()
        git = Git(trusted, SystemClock(), sink, isolated_environment(ENVIRONMENT["PATH"]))
        self.rescue = GitRescue(RescuePlaces(git, home, "project"), limit)
        self.ignored = GitIgnored(git)

    async def tree(self, ignored: frozenset[str] | None = None) -> Tree:
        if ignored is None:
            ignored = await self.ignored.ignored(self.project)
        rules = Rules(ignored=ignored)
        files = DirectoryWalk(self.project, StatCache(), lambda: 0).scan(rules)
        return Tree(
            project=self.project,
            modes={p: s.mode for p, s in files.items() if not s.digest.startswith("link:")},
            links=frozenset(p for p, s in files.items() if s.digest.startswith("link:")),
            ignored=rules.ignored,
            digest=fingerprint(files, with_modes=True),
            size=sum(s.size for s in files.values()),
        )

    async def save(self, name: str = NAME) -> Saved:
        """Save the files as they are."""
        return await self.rescue.save(await self.tree(), name)

    async def undo(self, target: Saved, name: str = f"{NAME}.undone") -> tuple[Saved, Restored]:
        tree = await self.tree(target.ignored)
        current = await self.rescue.save(tree, name, beside=target)
        return current, await self.rescue.restore(self.project, current, target)

    def state(self) -> dict[str, tuple[int, bytes]]:
        """Every file outside `.git` with permissions and content."""
        found: dict[str, tuple[int, bytes]] = {}
        for folder, folders, names in os.walk(self.project):
            if ".git" in folders:
                folders.remove(".git")
            for name in [*names, *(d for d in folders if (Path(folder) / d).is_symlink())]:
                path = Path(folder) / name
                about = path.lstat()
                if stat.S_ISLNK(about.st_mode):
                    content = b"link:" + os.fsencode(path.readlink())
                elif stat.S_ISREG(about.st_mode):
                    content = path.read_bytes()
                else:
                    continue
                key = path.relative_to(self.project).as_posix()
                found[key] = (stat.S_IMODE(about.st_mode), content)
        return found
