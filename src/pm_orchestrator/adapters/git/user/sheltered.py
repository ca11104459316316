"""Folders that the user's git ignores, and that its cleaning leaves where they are.

`git clean -fdX` takes away all that is ignored, and `git stash --all` moves it; both leave
a repository inside the other alone. So each folder gets a `.git` file that leads to an
empty repository of ours, which lies in the git directory of the user's. It ends
with that: in a copy of the project, or after a new `git init`, the file leads nowhere, and
the folder is one like any other. Where it holds, the folder is ignored first, because an
inner repository that is not would stop `git add --all`.
"""

import os
from collections.abc import Iterable
from pathlib import Path

HOME = "pm-orchestrator-records"
LEADS_TO = "gitdir: "
HEAD = "ref: refs/heads/records\n"


def is_sheltered(folder: Path) -> bool:
    """Whether git takes the folder for a repository; asked whenever a project is opened."""
    try:
        text = (folder / ".git").read_text("utf-8", "surrogateescape")
        return (folder / text.removeprefix(LEADS_TO).rstrip("\n") / "HEAD").is_file()
    except OSError:
        return False


def shelter(git_directory: Path, folders: Iterable[Path]) -> None:
    """Make folders that are ignored already look like repositories."""
    home = git_directory / HOME
    for name in ("objects", "refs"):
        (home / name).mkdir(parents=True, exist_ok=True)
    (home / "HEAD").write_text(HEAD, encoding="ascii")
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        way = os.path.relpath(home, folder)
        text = f"{LEADS_TO}{way}\n"
        (folder / ".git").write_text(text, encoding="utf-8", errors="surrogateescape")
