"""What the user has not committed, asked without running anything they configured.

To compare a file git puts it through its filters, which are programs. So each filter
that the repository names is switched off for this one question, and nothing is
written: an index that is out of date stays so.
"""

import os
from pathlib import Path

from pm_orchestrator.adapters.git.command import ANY_OWNER, Git
from pm_orchestrator.adapters.git.trees import printable_path
from pm_orchestrator.ports.repository import Uncommitted

OWN_FOLDERS = frozenset({".claude", ".pm-orchestrator"})
FIRST = 20
STATUS = (
    "status",
    "--porcelain=v1",
    "-z",
    "--untracked-files=all",
    "--no-renames",
    # Only where its HEAD is: to look into a submodule, git would be started there.
    "--ignore-submodules=dirty",
)
PREFIX = "XY "
OFF = {"clean": "", "smudge": "", "process": "", "required": "false"}


async def look_for_uncommitted(git: Git, project: Path) -> Uncommitted:
    """Modified, staged and untracked files; none where there is no working tree to ask."""
    # The run itself says what is wrong with a repository when it looks for its base.
    paths = await uncommitted_paths(git, project) or []
    return Uncommitted(
        count=len(paths), first=tuple(printable_path(path) for path in paths[:FIRST])
    )


async def uncommitted_paths(git: Git, project: Path) -> list[str] | None:
    """Their paths from the top of the repository; None where there is nothing to ask."""
    listed = await git.run(
        project,
        *("config", "--null", "--name-only", "--get-regexp", r"^filter\."),
        accept=(0, 1, 128),
        settings=ANY_OWNER,
    )
    shown = await git.run(
        project,
        *STATUS,
        accept=(0, 128),
        settings=ANY_OWNER,
        environment=_without_filters(listed.stdout),
    )
    if shown.exit_code != 0:
        return None
    names = (os.fsdecode(field[len(PREFIX) :]) for field in shown.stdout.split(b"\0") if field)
    return sorted({name for name in names if not OWN_FOLDERS & set(name.split("/"))})


def _without_filters(listed: bytes) -> dict[str, str]:
    """Settings as variables: the name of a filter can hold anything, an `=` too."""
    keys = (os.fsdecode(key) for key in listed.split(b"\0") if key)
    filters = sorted({key.rpartition(".")[0] for key in keys})
    settings = [(f"{name}.{key}", value) for name in filters for key, value in OFF.items()]
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables
