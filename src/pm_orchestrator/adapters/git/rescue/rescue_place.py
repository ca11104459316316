"""Where rescued trees are kept, and a git that alters no byte on the way there.

A repository's attributes and settings can change contents between the working
tree and a blob (line ends, filters, encodings). So trees are written through a
git directory of our own, outside the project, whose attributes switch all of that
off; only the objects go to the user's repository. Its index also remembers what was
read, so that unchanged files are not read again.
"""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.adapters.git.refs import OBJECT_ID, object_id, own_ref
from pm_orchestrator.adapters.git.rescue.loose_objects import is_loose, write_object, write_ref
from pm_orchestrator.adapters.git.rescue.plain_repository import (
    PlainRepository,
    branch_named,
    plain_repository,
)
from pm_orchestrator.adapters.git.user.git_ignored import repository_above
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
WHO = "pm-orchestrator <pm-orchestrator@localhost>"
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


class RescueRepository(msgspec.Struct, frozen=True, kw_only=True):
    """A project's own repository (`user` is True) or the private one beside it."""

    user: bool
    project: Path
    private: Path
    """Our git directory; refs are here only when there is no repository of the user's."""
    objects: Path
    index: Path | None
    exclude: Path | None
    head: str | None
    branch: str | None
    """The branch that is checked out, if one is."""
    object_format: str
    refs: Path | None
    """Where refs are plain files; None where only git may write them."""

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

    async def of(self, project: Path) -> RescueRepository:
        """The place for new rescues."""
        # Each of these is a look at a few small files: a thread would cost more.
        plain = plain_repository(project)
        if plain is not None:
            return await self._plain(project, plain)
        lines = await self._about(project)
        if not lines:
            return await self.without_repository(project)
        private = self._home / f"{self._name}.{lines[0]}"
        await self._prepare(private, lines[0])
        objects, index, exclude = (project / line for line in lines[1:4])
        head = lines[4] if len(lines) > 4 and OBJECT_ID.fullmatch(lines[4]) else None
        return RescueRepository(
            user=True,
            project=project,
            private=private,
            objects=objects,
            index=index,
            exclude=exclude,
            head=head,
            branch=branch_named(lines[5]) if head is not None and len(lines) > 5 else None,
            object_format=lines[0],
            refs=None,
        )

    async def _plain(self, project: Path, plain: PlainRepository) -> RescueRepository:
        private = self._home / f"{self._name}.{plain.object_format}"
        await self._prepare(private, plain.object_format)
        return RescueRepository(
            user=True,
            project=project,
            private=private,
            objects=plain.directory / "objects",
            index=plain.directory / "index",
            exclude=plain.directory / "info" / "exclude",
            head=plain.head,
            branch=plain.branch,
            object_format=plain.object_format,
            refs=plain.directory,
        )

    async def without_repository(self, project: Path) -> RescueRepository:
        """The private place, whatever the project has."""
        private = self._home / f"{self._name}.private"
        await self._prepare(private, "sha1")
        return RescueRepository(
            user=False,
            project=project,
            private=private,
            objects=private / "objects",
            index=None,
            exclude=None,
            head=None,
            branch=None,
            object_format="sha1",
            refs=private,
        )

    async def run(
        self,
        place: RescueRepository,
        *arguments: str,
        accept: tuple[int, ...] = (0,),
        index: str = "index",
        without: Sequence[str] = (),
    ) -> CommandResult:
        """Run git on the project's files with our own directory, index and attributes.

        `without` are files that it leaves alone; paths are then the last arguments.
        """
        settings = dict(QUIET)
        if place.exclude is not None:
            settings["core.excludesFile"] = str(place.exclude)
        environment = {
            "GIT_DIR": str(place.private),
            "GIT_WORK_TREE": str(place.project),
            "GIT_OBJECT_DIRECTORY": str(place.objects),
            "GIT_INDEX_FILE": str(place.private / index),
        }
        if without:
            environment["GIT_LITERAL_PATHSPECS"] = "0"
            arguments += tuple(f":(top,exclude,literal){name}" for name in without)
        return await self._git.run(
            place.project, *arguments, accept=accept, settings=settings, environment=environment
        )

    async def run_refs(
        self, place: RescueRepository, *arguments: str, accept: tuple[int, ...] = (0,)
    ) -> CommandResult:
        """Run git where the refs are."""
        settings = {**ANY_OWNER, "core.logAllRefUpdates": "false"}
        return await self._git.run(place.repository, *arguments, accept=accept, settings=settings)

    async def add_object(self, place: RescueRepository, kind: str, content: bytes) -> str:
        """Put an object of our own beside the others; returns its id."""
        with _named("hash-object"):
            return await asyncio.to_thread(
                write_object, place.objects, place.object_format, kind, content
            )

    async def add_commit(
        self, place: RescueRepository, tree: str, parents: Sequence[str], text: str
    ) -> str:
        """A commit of ours, made now."""
        who = f"{WHO} {self._git.seconds()} +0000"
        lines = [f"tree {object_id(tree)}", *(f"parent {object_id(p)}" for p in parents)]
        lines += [f"author {who}", f"committer {who}", "", text, ""]
        return await self.add_object(place, "commit", "\n".join(lines).encode())

    async def has(self, place: RescueRepository, oid: str) -> bool:
        """Whether an object is there that should be; it may have been cleaned away."""
        if is_loose(place.objects, object_id(oid)):
            return True
        found = await self.run(place, "cat-file", "-e", oid, accept=(0, 1, 128))
        return found.exit_code == 0

    async def point(self, place: RescueRepository, ref: str, oid: str) -> None:
        """Let a ref of ours name an object that is there."""
        if place.refs is None:
            await self.run_refs(place, "update-ref", own_ref(ref), object_id(oid))
            return
        with _named("update-ref"):
            await asyncio.to_thread(write_ref, place.refs, own_ref(ref), object_id(oid))

    async def _about(self, project: Path) -> list[str]:
        """Format, objects, index, exclude list and HEAD; nothing when there is no repository."""
        if await asyncio.to_thread(repository_above, project) is None:
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
            "--symbolic-full-name",
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
        if not (private / "HEAD").exists():
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
        _set_rules(private)


@contextmanager
def _named(operation: str) -> Generator[None]:
    """What the disk says, as git's own refusal would be said."""
    try:
        yield
    except OSError as error:
        raise PmError("git_failed", operation=operation, reason=str(error)) from error


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
