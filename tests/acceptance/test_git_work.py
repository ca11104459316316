"""Work in the repository counts, and what happened there is said only where nobody asked for it."""

import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = [pytest.mark.timeout(60), pytest.mark.unmeasured]

GIT = "git -c user.name=A -c user.email=a@localhost"
COMMIT = f"git add -A; {GIT} commit -qm"
IN_REPOSITORY = {"head_moved", "branch_switched", "history_rewritten"}


def git(project: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=T", "-c", "user.email=t@localhost")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=project, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(project: Path) -> Path:
    """With a second branch, and a change that is in no commit."""
    git(project, "branch", "feature/x")
    (project / "draft.md").write_text("draft\n", encoding="utf-8")
    return project


class Solo:
    def __init__(self, program: Program, project: Path, claude: ClaudeScript) -> None:
        self._program = program
        self._project = project
        self._claude = claude

    def __call__(self, instruction: str, body: str) -> Ran:
        where = ("--project", str(self._project), "--json")
        return self._program("run", "--solo", instruction, *where, env=self._claude.does(body))


@pytest.fixture
def solo(program: Program, repository: Path, claude: ClaudeScript) -> Solo:
    return Solo(program, repository, claude)


def said(ran: Ran) -> set[str]:
    return {finding["kind"] for finding in ran.json["findings"]} & IN_REPOSITORY


ASKED = [
    ("Commit this", f"{COMMIT} Draft"),
    ("Save my work in a commit", f"{COMMIT} Draft"),
    pytest.param("コミットしてください", f"{COMMIT} Draft", marks=pytest.mark.long),
    ("Create notes2.md and commit it", f"echo x > notes2.md; {COMMIT} Notes"),
    ("Create a branch topic", "git checkout -q -b topic"),
    ("Switch to the branch feature/x", "git checkout -q feature/x"),
    pytest.param("feature/xに切り替えて", "git checkout -q feature/x", marks=pytest.mark.long),
    ("Tag this as v1.0", "git tag v1.0"),
    ("Amend the last commit message to 'Begin'", f"{GIT} commit -q --amend -m Begin"),
    pytest.param(
        "Add this to the last commit",
        f"git add -A; {GIT} commit -q --amend --no-edit",
        marks=pytest.mark.long,
    ),
]


@pytest.mark.parametrize(("instruction", "body"), ASKED)
def test_what_was_asked_of_the_repository_counts_and_is_nothing_odd(
    solo: Solo, instruction: str, body: str
) -> None:
    ran = solo(instruction, body)
    assert (ran.code, said(ran)) == (0, set()), ran.out + ran.err


@pytest.mark.parametrize(
    ("instruction", "body"),
    [
        ("Commit this", "true"),
        ("Create notes2.md and commit it", "echo x > notes2.md"),
        ("Create a branch topic", "git checkout -q -b other"),
        ("Switch to the branch feature/x", "true"),
        ("Tag this as v1.0", "git tag v1.1"),
    ],
)
def test_what_was_not_done_there_is_not_complete(solo: Solo, instruction: str, body: str) -> None:
    assert solo(instruction, body).code == 2


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (f"echo x > notes2.md; {COMMIT} Notes", "head_moved"),
        ("git checkout -q -b other; echo x > notes2.md", "branch_switched"),
        (f"echo x > notes2.md; {GIT} commit -q --amend -m Other", "history_rewritten"),
    ],
)
def test_what_nobody_asked_for_is_said(solo: Solo, body: str, kind: str) -> None:
    ran = solo("Create notes2.md", body)
    assert (ran.code, said(ran)) == (0, {kind}), ran.out + ran.err


def test_a_commit_that_was_forbidden_is_said(solo: Solo) -> None:
    ran = solo("Create notes2.md, but do not commit", f"echo x > notes2.md; {COMMIT} Notes")
    assert said(ran) == {"head_moved"}, ran.out + ran.err


@pytest.mark.parametrize("commits", ["", f"; {COMMIT} Notes"])
def test_undo_says_how_to_go_back_to_the_branch(
    solo: Solo, program: Program, repository: Path, commits: str
) -> None:
    """The way that is named works, and the files stay as undo has put them back."""
    status = git(repository, "status", "--porcelain")
    ran = solo("Create notes2.md", f"git checkout -q -b other; echo x > notes2.md{commits}")
    undone = program("undo", ran.json["task_id"], "--project", str(repository))
    assert undone.code == 0, undone.out + undone.err
    assert "main was checked out, and now other is" in undone.out
    (way,) = (line for line in undone.out.splitlines() if line.startswith("  git "))
    subprocess.run(way, shell=True, cwd=repository, check=True)
    assert git(repository, "rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert git(repository, "status", "--porcelain") == status
