"""Where rescued trees are kept, and a git that alters no byte on the way there.

A repository's attributes and settings can change contents between the working
tree and a blob (line ends, filters, encodings). So trees are written through a
git directory of our own, outside the project, whose attributes switch all of that
off; only the objects go to the user's repository. Its index also remembers what was
read, so that unchanged files are not read again.
"""

import asyncio
from pathlib import Path

import msgspec

from pm_orchestrator.adapters.git.command import Git
from pm_orchestrator.adapters.git.ignored import repository_above
from pm_orchestrator.adapters.git.refs import OBJECT_ID
from pm_orchestrator.adapters.git.user_repository import ANY_OWNER
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.process import CommandResult

UNALTERED = "* -text -eol -crlf -filter -ident -working-tree-encoding\n"
# What the Runner's own look at a project leaves out as well.
NOT_OURS = (
    "node_modules/",
    "__pycache__/",
    "/.pm-orchestrator/",
    "/.claude/logs/",
    "/.claude/raw/",
    "/.claude/evidence/",
    "/.claude/repl.json",
)
QUIET = {
    **ANY_OWNER,
    "core.bare": "false",
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.fileMode": "true",
    "core.symlinks": "true",
    "core.ignoreCase": "false",
    "core.logAllRefUpdates": "false",
    "core.untrackedCache": "false",
    "advice.addEmbeddedRepo": "false",
}


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A project's own repository (`user` is True) or the private one beside it."""

    user: bool
    project: Path
    private: Path
    """Our git directory; refs are here only when there is no repository of the user's."""
    objects: Path
    index: Path | None
    exclude: Path | None
    head: str | None

    @property
    def repository(self) -> Path:
        """Where the refs are."""
        return self.project if self.user else self.private


class RescuePlaces:
    """Finds and prepares places below `home`; `name` tells projects apart."""

    def __init__(self, git: Git, home: Path, name: str) -> None:
        self._git = git
        self._home = home
        self._name = name

    async def of(self, project: Path) -> Place:
        """The place for new rescues."""
        lines = await self._about(project)
        if not lines:
            return await self.without_repository(project)
        private = self._home / f"{self._name}.{lines[0]}"
        await self._prepare(private, lines[0])
        objects, index, exclude = (project / line for line in lines[1:4])
        head = lines[4] if len(lines) > 4 and OBJECT_ID.fullmatch(lines[4]) else None
        return Place(
            user=True,
            project=project,
            private=private,
            objects=objects,
            index=index,
            exclude=exclude,
            head=head,
        )

    async def without_repository(self, project: Path) -> Place:
        """The private place, whatever the project has."""
        private = self._home / f"{self._name}.private"
        await self._prepare(private, "sha1")
        return Place(
            user=False,
            project=project,
            private=private,
            objects=private / "objects",
            index=None,
            exclude=None,
            head=None,
        )

    async def run(
        self, place: Place, *arguments: str, accept: tuple[int, ...] = (0,), index: str = "index"
    ) -> CommandResult:
        """Run git on the project's files with our own directory, index and attributes."""
        settings = dict(QUIET)
        if place.exclude is not None:
            settings["core.excludesFile"] = str(place.exclude)
        environment = {
            "GIT_DIR": str(place.private),
            "GIT_WORK_TREE": str(place.project),
            "GIT_OBJECT_DIRECTORY": str(place.objects),
            "GIT_INDEX_FILE": str(place.private / index),
        }
        return await self._git.run(
            place.project, *arguments, accept=accept, settings=settings, environment=environment
        )

    async def run_refs(
        self, place: Place, *arguments: str, accept: tuple[int, ...] = (0,)
    ) -> CommandResult:
        """Run git where the refs are."""
        settings = {**ANY_OWNER, "core.logAllRefUpdates": "false"}
        return await self._git.run(place.repository, *arguments, accept=accept, settings=settings)

    async def _about(self, project: Path) -> list[str]:
        """Format, objects, index, exclude list and HEAD; nothing when there is no repository."""
        if not await asyncio.to_thread(repository_above, project):
            return []
        paths = [
            part for name in ("objects", "index", "info/exclude") for part in ("--git-path", name)
        ]
        shown = await self._git.run(
            project,
            "rev-parse",
            "--show-object-format",
            *paths,
            "HEAD",
            accept=(0, 128),
            settings=ANY_OWNER,
        )
        lines = shown.stdout.decode("utf-8", "surrogateescape").splitlines()
        if len(lines) < 4:
            reason = shown.stderr[-500:].decode("utf-8", "replace").strip()
            raise PmError("git_failed", operation="rev-parse", reason=reason)
        return lines

    async def _prepare(self, private: Path, object_format: str) -> None:
        if not await asyncio.to_thread((private / "HEAD").exists):
            await asyncio.to_thread(private.mkdir, parents=True, exist_ok=True)
            await self._git.run(
                private,
                "init",
                "--quiet",
                "--bare",
                "--template=",
                f"--object-format={object_format}",
                "--initial-branch=none",
            )
        await asyncio.to_thread(_set_rules, private)


def _set_rules(private: Path) -> None:
    """Written each time: these two files are what the exactness rests on."""
    info = private / "info"
    info.mkdir(exist_ok=True)
    for name, text in (("attributes", UNALTERED), ("exclude", "\n".join(NOT_OURS) + "\n")):
        path = info / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    # Left by a git that was killed; nobody else works in this directory.
    (private / "index.lock").unlink(missing_ok=True)
