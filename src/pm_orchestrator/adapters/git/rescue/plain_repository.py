"""A repository in its plainest form, read without starting git.

Around every task we ask where HEAD is and where objects are kept. For the usual
repository (a `.git` directory with refs in files) four small reads answer that in a
fraction of the time a process takes. Whatever is not exactly of that form (a linked
worktree, a submodule, another ref store, an extension, an unborn HEAD) is left to git.
"""

import os
import stat
from pathlib import Path

import msgspec

from pm_orchestrator.adapters.git.refs import OBJECT_ID

SYMBOLIC = "ref: "
HEADS = "refs/heads/"
LARGEST = 1 << 20
"""Of `config` and `packed-refs`; git itself is the better reader of longer ones."""


class PlainRepository(msgspec.Struct, frozen=True, kw_only=True):
    """What four files say."""

    directory: Path
    head: str
    branch: str | None = None
    """The branch that is checked out; None where HEAD names a commit itself."""

    @property
    def object_format(self) -> str:
        return "sha1" if len(self.head) == 40 else "sha256"


def plain_repository(project: Path) -> PlainRepository | None:
    """The repository at the root of `project`; None for one that only git can read."""
    directory = project / ".git"
    try:
        if not _is_plain(directory):
            return None
        head, ref = _resolve(directory)
    except (OSError, UnicodeDecodeError):
        return None
    if head is None:
        return None
    return PlainRepository(directory=directory, head=head, branch=branch_named(ref))


def branch_named(ref: str) -> str | None:
    """The branch that a full name is of; None for the name of anything else."""
    return ref.removeprefix(HEADS) if ref.startswith(HEADS) else None


def _is_plain(directory: Path) -> bool:
    folders = (directory, directory / "objects", directory / "refs")
    if not all(stat.S_ISDIR(os.lstat(folder).st_mode) for folder in folders):
        return False
    # Extensions change what the other files mean; a shared repository wants its own modes.
    config = _text(directory / "config").lower()
    odd = ("extensions", "sharedrepository", "include")
    return not os.path.lexists(directory / "commondir") and not any(o in config for o in odd)


def _resolve(directory: Path) -> tuple[str | None, str]:
    """The commit at HEAD, and the ref that HEAD names."""
    head = _text(directory / "HEAD").strip()
    if not head.startswith(SYMBOLIC):
        return (head if OBJECT_ID.fullmatch(head) else None), ""
    ref = head.removeprefix(SYMBOLIC).strip()
    if not ref.startswith("refs/") or ".." in ref:
        return None, ""
    try:
        oid = _text(directory / ref).strip()
    except FileNotFoundError:
        oid = _packed(directory, ref)
    return (oid if OBJECT_ID.fullmatch(oid) else None), ref


def _packed(directory: Path, ref: str) -> str:
    for line in _text(directory / "packed-refs").splitlines():
        oid, _, name = line.partition(" ")
        if name == ref:
            return oid
    return ""


def _text(path: Path) -> str:
    if path.stat().st_size > LARGEST:
        raise OSError(f"{path} is too long")
    return path.read_text(encoding="utf-8")
