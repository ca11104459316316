"""What the user's repository says about its own last commit."""

import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.adapters.git.command import Git, isolated_environment
from pm_orchestrator.adapters.git.user.git_history import GitHistory
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import SystemClock

COMMIT = "git -c user.name=T -c user.email=t@localhost commit -q --allow-empty"


async def unheard(line: str) -> None:
    del line


@pytest.mark.parametrize(
    ("body", "amended", "message"),
    [
        (f"{COMMIT} --amend -m 'Start the handbook'", True, "Start the handbook"),
        (f"{COMMIT} --amend --reset-author --no-edit --date=2001-01-01T00:00", True, ""),
        (f"{COMMIT} -m 'Start the handbook'", False, ""),
        ("git branch topic", False, ""),
        ("git checkout -q --orphan bare; git branch -D main", False, ""),
    ],
)
async def test_an_amended_commit_is_told_from_one_more(
    tmp_path: Path, body: str, amended: bool, message: str
) -> None:
    shell(tmp_path, f"git init -qb main . && {COMMIT} -m first")
    git = Git(LocalCommands().trusted(), SystemClock(), unheard, isolated_environment(PATH))
    history = GitHistory(git)
    since = await history.refs(tmp_path)
    assert since is not None
    shell(tmp_path, body)
    found = await history.recorded(tmp_path, since, ())
    assert found is not None
    assert (found.amended, found.message) == (amended, message)


PATH = "/usr/bin:/bin"


def shell(project: Path, body: str) -> None:
    subprocess.run(["/bin/sh", "-ec", body], cwd=project, check=True, env={"PATH": PATH})
