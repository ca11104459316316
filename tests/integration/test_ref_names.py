"""Real git accepts every branch name we make."""

import random
import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.domain.naming import branch_name, commit_message, integration_branch

HOSTILE = [
    *(
        "",
        " ",
        "ログイン画面を追加する",
        "Ünïcödé",
        "..",
        "a..b",
        "x.lock",
        "@{0}",
        "-rf",
        "/",
        "//",
    ),
    *(
        "refs/heads/main",
        "a\nb",
        "a\tb",
        "\x00",
        "~^:?*[\\",
        "HEAD",
        "🚀",
        "A" * 500,
        "agent/x",
        ".",
    ),
    *("$(reboot)", "`id`", "a;b", "a b c", "&&", "'", '"', "%s", "\u202e", "\x7f", "@", "--help"),
]


def titles() -> list[str]:
    source = random.Random(20260115)
    alphabet = "abcXYZ019 ./\\~^:?*[@{}-_\n\t日本é🚀"
    made = ["".join(source.choices(alphabet, k=source.randint(0, 60))) for _ in range(300)]
    return HOSTILE + made


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--bare", ".")
    return tmp_path


def git(folder: Path, *arguments: str, given: str = "") -> str:
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder),
        **{
            f"GIT_{who}_{what}": "x@y"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=environment,
        input=given.encode(),
        capture_output=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_git_takes_all_branches_and_subjects(repository: Path) -> None:
    """E-6 Git Naming Conventions: hostile and Japanese titles give refs valid for git itself."""
    tree = git(repository, "mktree").strip()
    message = commit_message("20260115-0a1b-01", "日本語の説明\n二行目 \x00")
    commit = git(repository, "commit-tree", tree, given=message).strip()
    branches = {branch_name("20260115-0a1b-01", title) for title in titles()}
    branches.add(integration_branch("20260115-0a1b"))
    orders = "".join(f"create refs/heads/{branch} {commit}\n" for branch in sorted(branches))
    git(repository, "update-ref", "--stdin", given=orders)
    made = git(repository, "for-each-ref", "--format=%(refname:short)").split()
    assert set(made) == branches
    assert git(repository, "log", "-1", "--format=%s", commit).strip() == message
