"""Our state file stays out of the user's commits: one line in `.git/info/exclude`."""

import asyncio
import os
from pathlib import Path

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.adapters.git.user.git_ignored import literally, repository_above


async def exclude(git: Git, project: Path, name: str) -> None:
    """Let git ignore `name` in `project`, in this clone only; without a repository nothing."""
    top = await asyncio.to_thread(repository_above, project)
    if top is None:
        return
    shown = await git.run(project, "rev-parse", "--git-path", "info/exclude", settings=ANY_OWNER)
    path = project / os.fsdecode(shown.stdout.rstrip(b"\n"))
    below = "".join(f"/{part}" for part in project.relative_to(top).parts)
    await asyncio.to_thread(_add_line, path, f"{literally(below)}/{literally(name)}")


def _add_line(path: Path, line: str) -> None:
    text = path.read_text("utf-8", "surrogateescape") if path.exists() else ""
    if line in text.splitlines():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    end = "" if not text or text.endswith("\n") else "\n"
    with path.open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f"{end}{line}\n")
