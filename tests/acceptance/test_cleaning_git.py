"""A git that cleans up, called by an agent or a person, costs no record and no verdict."""

import subprocess
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = pytest.mark.timeout(40)

STASH = "git -c user.name=T -c user.email=t@localhost stash"
LONG = pytest.mark.long
CLEANINGS = [
    "git clean -qfdX",
    pytest.param("git clean -qfdx", marks=LONG),
    pytest.param(f"{STASH} -u; {STASH} pop", marks=LONG),
    f"{STASH} -u",
    pytest.param(f"{STASH} -a", marks=LONG),
    "echo .claude/ > .gitignore; git clean -qfdX",
]


@pytest.mark.parametrize("cleaning", CLEANINGS)
def test_a_cleaning_agent_keeps_its_verdict_and_our_records(
    program: Program, project: Path, claude: ClaudeScript, cleaning: str
) -> None:
    where = ("--project", str(project))
    before = program("run", "Create one.md", "--solo", *where, env=claude.does("echo 1 > one.md"))
    assert before.code == 0, before.out + before.err
    env = claude.does(f"{cleaning}; echo hi > hello.md")
    ran = program("run", "Create hello.md", "--solo", "--json", *where, env=env)
    assert ran.code == 0, ran.out + ran.err
    assert program("evidence", "verify", *where).code == 0
    listed = program("logs", *where).out
    assert listed.count("COMPLETE") >= 1, listed
    again = program("run", "Create two.md", "--solo", *where, env=claude.does("echo 2 > two.md"))
    assert again.code == 0, again.out + again.err


def test_a_person_cleans_up_and_commits_everything(
    program: Program, project: Path, claude: ClaudeScript, tmp_path: Path
) -> None:
    where = ("--project", str(project))
    env = claude.does("echo hi > hello.md")
    assert program("run", "Create hello.md", "--solo", *where, env=env).code == 0

    def git(*arguments: str, at: Path = project) -> str:
        identity = ("-c", "user.name=T", "-c", "user.email=t@localhost")
        command = ["git", *identity, *arguments]
        return subprocess.run(command, cwd=at, check=True, capture_output=True, text=True).stdout

    git("clean", "-qfdX")
    assert program("evidence", "verify", *where).code == 0
    git("add", "--all")
    assert not any("evidence" in line for line in git("status", "--short").splitlines())
    # A copy under another repository is not hindered by what was sheltered from the first.
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", project, copy], check=True)
    subprocess.run(["rm", "-rf", copy / ".git"], check=True)
    git("init", "-q", at=copy)
    git("add", "--all", at=copy)
    assert not any("evidence/" in line for line in git("ls-files", at=copy).splitlines())


@pytest.mark.parametrize(
    "harm",
    [
        "echo ' ' >> .claude/evidence/chain.jsonl",
        pytest.param("sed -i 's/files/filez/' .claude/settings.json", marks=LONG),
        pytest.param("rm .claude/evidence/*.json", marks=LONG),
    ],
)
def test_what_is_altered_stays_invalid(
    program: Program, project: Path, claude: ClaudeScript, harm: str
) -> None:
    where = ("--project", str(project))
    env = claude.does(f"git clean -qfdX; echo hi > hello.md; {harm}")
    ran = program("run", "Create hello.md", "--solo", "--json", *where, env=env)
    assert (ran.code, ran.json["status"]) == (1, "INVALID"), ran.out + ran.err
