"""The project directory around one executor: seen and saved before, compared after.

Whatever the executor says, the difference between the two looks is what it did.
The tree as it was is kept under a rescue ref first, so that any outcome can be
undone. What is odd is reported and never counts for the work.
"""

import asyncio
import posixpath
from collections.abc import Iterable
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.look.differences import compare, fingerprint, printable
from pm_orchestrator.evidence.look.ignored_files import (
    IgnoredDifferences,
    KeptIgnored,
    compare_ignored,
    keep_ignored,
)
from pm_orchestrator.evidence.look.snapshot import (
    LINK,
    UNREAD,
    DirectoryWalk,
    Rules,
    Scan,
    Snapshot,
    under,
)
from pm_orchestrator.gates.detect.documents import is_document
from pm_orchestrator.ports.ignored import IgnoredFiles
from pm_orchestrator.ports.rescue import Rescue, Saved, Tree
from pm_orchestrator.runner.places.git_barriers import (
    barriers,
    excludes,
    remove_barriers,
    reopen_repository,
)

REPORTED = 50
"""Odd things named one by one; a flood of them says no more."""
UNSAVED = frozenset({"rescue_too_large", "program_not_started"})
"""Reasons that leave the user without undo, but not without their work."""


class FirstBase(msgspec.Struct, frozen=True, kw_only=True):
    """The directory before the first run of a task that goes on."""

    saved: Saved
    files: Snapshot


class Before(msgspec.Struct, frozen=True, kw_only=True):
    """The directory just before EXECUTION."""

    scan: Scan
    rules: Rules
    saved: Saved | None
    findings: tuple[OddFinding, ...]
    first: FirstBase | None = None
    """Where the task goes on: what it is judged from."""
    kept: KeptIgnored | None = None
    """What is ignored, as far as it is held."""

    @property
    def files(self) -> Snapshot:
        """What the work is compared with."""
        return self.scan.files if self.first is None else self.first.files

    @property
    def base(self) -> Saved | None:
        """Where the contents of `files` can be read."""
        return self.saved if self.first is None else self.first.saved

    def had(self, path: str) -> bool:
        """Whether there was anything of that name."""
        return path in self.files or any(name.startswith(f"{path}/") for name in self.files)


class After(msgspec.Struct, frozen=True, kw_only=True):
    """The directory after the executor and everything it started are gone."""

    files: Snapshot
    rules: Rules
    changes: tuple[FileChange, ...]
    findings: tuple[OddFinding, ...]
    ignored: IgnoredDifferences = IgnoredDifferences()
    """What became of files that version control leaves out."""


class LastLook:
    """What the look before has found out, as far as it is still true; losing it costs time."""

    def __init__(self) -> None:
        self.ignored: frozenset[str] | None = None
        self._files: Snapshot | None = None
        self._excludes: tuple[int, ...] | None = None
        self._tree: tuple[Snapshot, Tree] | None = None
        self._named: tuple[Snapshot, str] | None = None

    def name(self, files: Snapshot) -> str:
        """The fingerprint of a tree, which is nearly always that of the tree before."""
        if self._named is None or self._named[0] != files:
            self._named = (files, fingerprint(files))
        return self._named[1]

    def keep(self, root: Path, files: Snapshot, ignored: frozenset[str]) -> None:
        """Remember one look."""
        self._files, self.ignored, self._excludes = files, ignored, excludes(root)

    def forget(self) -> None:
        """What git ignores has to be asked again: its lists have changed."""
        self.ignored = self._files = self._excludes = None

    def holds(self, root: Path, files: Snapshot) -> bool:
        """Whether git would say the same about what is ignored.

        It does where no file came, went or changed, the lists of what to ignore among
        them, and neither did the two lists that are no files of the project.
        """
        known = self._excludes is not None and self._excludes == excludes(root)
        return known and self._files == files

    def tree(self, root: Path, files: Snapshot, ignored: frozenset[str]) -> Tree:
        """The same as before, where nothing has changed since."""
        # Looks that save nothing come in between, so the files of the last look do not do.
        if self._tree is None or self._tree[1].ignored != ignored or self._tree[0] != files:
            self._tree = (files, tree_of(root, files, ignored))
        self.keep(root, files, ignored)
        return self._tree[1]


class Workspace:
    """One project directory. `walk` remembers what it has read, `last` what it came to."""

    def __init__(
        self,
        root: Path,
        walk: DirectoryWalk,
        ignored: IgnoredFiles,
        rescue: Rescue,
        last: LastLook | None = None,
    ) -> None:
        self._root = root
        self._walk = walk
        self._ignored = ignored
        self._rescue = rescue
        self._last = last or LastLook()

    async def before(self, name: str, named: Iterable[str]) -> Before:
        """Look, and save what is there under `name`.

        Raises:
            PmError: E102 when the directory is gone; E801 when it could not be saved.
        """
        rules, scan = await self._first_look(frozenset(named))
        ignored = rules.ignored
        if scan.root_gone:
            raise PmError("bad_project_path", path=self._root, reason="it does not exist")
        tree = self._last.tree(self._root, scan.files, ignored)
        try:
            saved = await self._rescue.save(tree, name)
        except PmError as error:
            if error.slug not in UNSAVED:
                raise
            note = OddFinding(kind="not_saved", path=".", note=error.what())
            return Before(scan=scan, rules=rules, saved=None, findings=(note,))
        skipped = [OddFinding(kind="not_saved", path=path) for path in saved.skipped]
        note = OddFinding(kind="saved", path=saved.ref, note=saved.commit)
        nested = frozenset(f"{path}/" for path in saved.skipped)
        inside = [path for path in scan.files if under(path, nested)] if nested else []
        kept = await asyncio.to_thread(
            keep_ignored, self._root, ignored, inside, self._walk.now_ns()
        )
        return Before(scan=scan, rules=rules, saved=saved, findings=(note, *skipped), kept=kept)

    async def saved_first(self, task_id: str) -> Saved | None:
        """The directory as it was before the first run of a task.

        None for its first run, and where there is nothing to save with.
        """
        try:
            names = await self._rescue.names(self._root, task_id)
        except PmError as error:
            if error.slug not in UNSAVED:
                raise
            # What cannot be found now could not be saved then.
            return None
        return await self._rescue.find(self._root, names[0]) if names else None

    async def current(self, ignored: frozenset[str]) -> Tree:
        """The tree as it is now, without what was `ignored` at another time."""
        scan = await asyncio.to_thread(self._walk.look, Rules(ignored=ignored))
        if scan.root_gone:
            raise PmError("bad_project_path", path=self._root, reason="it does not exist")
        return tree_of(self._root, scan.files, ignored)

    async def names(self) -> tuple[str, ...]:
        """The files that are there before anybody has looked, in order."""
        _, scan = await self._first_look(frozenset())
        return tuple(sorted(scan.files))

    async def after(self, before: Before, named: Iterable[str], modes: Iterable[str] = ()) -> After:
        """Look again, at everything that was there before whatever is ignored now.

        Of the files `modes` it counts, too, whether they can be executed.
        """
        wanted = frozenset(named)
        cleared = await asyncio.to_thread(reopen_repository, self._root / ".git")
        rules, scan = await self._look(before, wanted)
        # An ignored file that only the claim names is looked for, but nobody knows what
        # it was before, so it is no change.
        new = scan.files.keys() - before.files.keys() - before.rules.named
        aside = {path for path in new if under(path, rules.ignored)}
        # Copied only where it differs: the tree may be large.
        visible = {p: s for p, s in scan.files.items() if p not in aside} if aside else scan.files
        changes = compare(before.files, visible, scan.unseen, frozenset(modes))
        known = set(before.scan.oddities)
        odd = [
            OddFinding(kind=oddity.kind, path=printable(oddity.path))
            for oddity in scan.oddities
            if oddity not in known
        ]
        odd += [
            OddFinding(kind="claimed_outside", path=path)
            for path in sorted(wanted)
            if path.startswith("../")
        ]
        odd += await self._history(before)
        odd += [OddFinding(kind="locked", path=printable(path)) for path in cleared]
        if any(posixpath.basename(change.path) == ".gitignore" for change in changes):
            self._last.forget()
        else:
            self._last.keep(self._root, scan.files, rules.ignored)
        ignored = await self._ignored_differences(before, rules, changes)
        odd += [
            OddFinding(kind="toolchain_changed", path=change.path, note=change.kind)
            for change in ignored.toolchain
        ]
        return After(
            files=scan.files,
            rules=rules,
            changes=changes,
            findings=tuple(odd[:REPORTED]),
            ignored=ignored,
        )

    async def _ignored_differences(
        self, before: Before, rules: Rules, changes: tuple[FileChange, ...]
    ) -> IgnoredDifferences:
        if before.kept is None:
            return IgnoredDifferences()
        # Large, and nothing to anybody where no gate will be run.
        gated = any(not is_document(change.path) for change in changes)
        ignored, kept = before.rules.ignored | rules.ignored, before.kept
        found = await asyncio.to_thread(
            compare_ignored,
            self._root,
            ignored,
            kept,
            before.files.__contains__,
            with_toolchains=gated,
        )
        if not gated:
            return found
        from pm_orchestrator.evidence.look.by_products import made_by_running

        made = await asyncio.to_thread(made_by_running, self._root, ignored, kept.since_ns)
        return msgspec.structs.replace(found, made=made)

    async def keep(self, before: Before, after: After, name: str) -> None:
        """Save what the work left beside what was there before it, for whoever compares them."""
        if before.base is None or not after.changes:
            return
        try:
            tree = tree_of(self._root, after.files, after.rules.ignored)
            await self._rescue.save(tree, name, beside=before.base)
        except PmError:
            # The work lies there and was judged; who looks back compares with what is there then.
            return

    def name_of(self, files: Snapshot) -> str:
        """One name for the whole tree."""
        return self._last.name(files)

    async def look_again(self, after: After) -> Snapshot:
        """The files as they are now, by the rules of the look before."""
        return (await asyncio.to_thread(self._walk.look, after.rules)).files

    async def written_since(self, after: After) -> tuple[OddFinding, ...]:
        """Files that changed while the gates ran: by a gate, or by somebody left behind."""
        scan = await asyncio.to_thread(self._walk.look, after.rules)
        late = compare(after.files, scan.files, scan.unseen)
        return tuple(
            OddFinding(kind="written_while_checked", path=change.path, note=change.kind)
            for change in late[:REPORTED]
        )

    async def _first_look(self, named: frozenset[str]) -> tuple[Rules, Scan]:
        """Look as at the last time; git is asked again only where its answer can differ."""
        guess = self._last.ignored
        if guess is not None:
            rules = Rules(ignored=guess, named=named)
            scan = await asyncio.to_thread(self._walk.look, rules)
            if self._last.holds(self._root, scan.files):
                return rules, scan
            asked = await self._ignored.ignored(self._root)
            if asked == guess:
                return rules, scan
        else:
            asked = await self._ignored.ignored(self._root)
        rules = Rules(ignored=asked, named=named)
        return rules, await asyncio.to_thread(self._walk.look, rules)

    async def _look(self, before: Before, named: frozenset[str]) -> tuple[Rules, Scan]:
        """Look by the rules from before; git is asked only about files that are new.

        A rule the executor wrote hides nothing that was visible, and a rule it dropped
        makes nothing new.
        """
        same = Rules(ignored=before.rules.ignored, named=named | before.rules.named)
        scan = await asyncio.to_thread(self._walk.look, same)
        barred = barriers(o.path for o in scan.oddities if o.kind == "special")
        if barred:
            await asyncio.to_thread(remove_barriers, self._root, barred)
        if not scan.files.keys() - before.files.keys():
            return same, scan
        now = await self._ignored_now()
        if now <= same.ignored:
            return same, scan
        hidden = frozenset(p for p in before.files if under(p, now))
        rules = Rules(ignored=same.ignored | now, named=same.named | hidden)
        return rules, await asyncio.to_thread(self._walk.look, rules)

    async def _ignored_now(self) -> frozenset[str]:
        try:
            return await self._ignored.ignored(self._root)
        except PmError:
            # A repository the executor broke, or took away, hides nothing.
            return frozenset()

    async def _history(self, before: Before) -> list[OddFinding]:
        if before.saved is None or before.saved.head is None:
            return []
        was = before.saved.head
        try:
            now = await self._rescue.head(self._root)
            if now == was:
                return []
            if now is not None and await self._rescue.descends(self._root, now, was):
                return [OddFinding(kind="head_moved", path=now, note=f"it was {was}")]
        except PmError as error:
            return [OddFinding(kind="history_rewritten", path=was, note=error.what())]
        return [OddFinding(kind="history_rewritten", path=now or "-", note=f"HEAD was {was}")]


def tree_of(root: Path, files: Snapshot, ignored: frozenset[str]) -> Tree:
    """What a rescue needs to know."""
    return Tree(
        project=root,
        modes={p: s.mode for p, s in files.items() if not s.digest.startswith((LINK, UNREAD))},
        links=frozenset(p for p, s in files.items() if s.digest.startswith(LINK)),
        ignored=ignored,
        large=frozenset(p for p, s in files.items() if s.digest.startswith(UNREAD)),
        digest=fingerprint(files, with_modes=True),
        size=sum(s.size for s in files.values() if not s.digest.startswith(UNREAD)),
    )


def project_path(root: Path, path: str) -> str:
    """A name as an executor gives it, relative to the root; `../…` for what is outside."""
    return posixpath.relpath(posixpath.join(root, path), root) if path else path
