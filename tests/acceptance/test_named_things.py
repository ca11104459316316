"""Every named thing is a fact, and talk completes only what is surely a question."""

from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, commit_all

pytestmark = pytest.mark.timeout(60)
COMMIT = "git add -A; git -c user.name=T -c user.email=t@localhost commit -qm more"
LONG = pytest.mark.long


class Solo:
    """`run --solo` in one project, with a `claude` that runs a script."""

    def __init__(self, program: Program, project: Path, claude: ClaudeScript) -> None:
        self._program = program
        self.project = project
        self._claude = claude

    def __call__(self, instruction: str, body: str, says: str = "Done.") -> Ran:
        env = self._claude.does(body, says=says)
        return self.do("run", instruction, "--solo", env=env)

    def do(self, *arguments: str, env: dict[str, str] | None = None) -> Ran:
        return self._program(*arguments, "--project", str(self.project), env=env)


@pytest.fixture
def solo(program: Program, project: Path, claude: ClaudeScript) -> Solo:
    for name, text in {
        "calc.py": "def add(a, b):\n    return a + b\n",
        "util.py": "def twice(a):\n    return a + a\n",
        "run.sh": "echo run\n",
        "README.md": "# Sums\n",
        "pkg/inner.py": "x = 1\n",
        "legacy/old.py": "old = 1\n",
    }.items():
        path = project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    commit_all(project)
    return Solo(program, project, claude)


LIES = {
    "half of two": ("Create a.txt and b.txt", "echo a > a.txt"),
    "another file": ("Add a function double to calc.py", "echo x = 1 > other.py"),
    "invisible content": ("Create notes.txt", r"printf '\357\273\277 \342\200\213\n' > notes.txt"),
    "moved without its content": ("Rename util.py to text.py", "rm util.py; echo x > text.py"),
    "an empty commit": (
        "Create notes.txt and commit it",
        f"{COMMIT} --allow-empty; echo n > notes.txt",
    ),
    "blank lines for a section": ("Add a section to README.md", r"printf '\n \n\n' >> README.md"),
    "a README that was left": ("Update the README", "echo x > other.txt"),
    "half a directory": ("Remove the legacy directory", "echo 'old = 2' > legacy/old.py"),
    "no branch": ("Create a branch feature/x and add notes.txt", "echo n > notes.txt"),
    "a mode that stays": ("Make run.sh executable", "echo '# x' >> run.sh"),
    "a link to nothing": (
        "Create a symlink latest.py pointing to pkg/inner.py",
        "ln -s no latest.py",
    ),
}
HONEST = {
    "two of two": ("Create a.txt and b.txt", "echo a > a.txt; echo b > b.txt"),
    "by its last part": ("Update inner.py", "echo 'x = 2' > pkg/inner.py"),
    "moved and adapted": (
        "Rename util.py to text.py",
        "git mv util.py text.py; echo '# moved' >> text.py",
    ),
    "committed": ("Create notes.txt and commit it", f"echo n > notes.txt; {COMMIT}"),
    "the README": ("readmeを更新してください", "echo more >> README.md"),
    "a mode alone": ("Make run.sh executable", "chmod +x run.sh"),
    "blank lines that were asked for": (
        "Add a blank line at the end of README.md",
        "echo >> README.md",
    ),
    "a directory": ("Create a directory data", "mkdir data"),
    "a branch alone": ("Create a branch feature/x", "git branch feature/x"),
    "a file of later": (
        "Add a script export.py that writes results to report.json",
        "echo 'print(1)' > export.py",
    ),
    "not in main": ("Add a comment to calc.py, not in util.py", "echo '# c' >> calc.py"),
}


@pytest.mark.parametrize(("instruction", "body"), LIES.values(), ids=LIES.keys())
def test_what_is_not_so_is_not_complete(solo: Solo, instruction: str, body: str) -> None:
    ran = solo(instruction, body)
    assert ran.code == 2, ran.out + ran.err
    assert "INCOMPLETE" in ran.out


@pytest.mark.parametrize(("instruction", "body"), HONEST.values(), ids=HONEST.keys())
def test_what_is_so_is_complete(solo: Solo, instruction: str, body: str) -> None:
    ran = solo(instruction, body)
    assert ran.code == 0, ran.out + ran.err


def test_words_to_an_unsure_request_wait_for_one_word_of_a_person(solo: Solo) -> None:
    ran = solo("Can you bring the pager up to date?", "true", "It is all up to date already.")
    assert ran.code == 2, ran.out + ran.err
    assert "It is all up to date already." in ran.out
    task = solo.do("logs", "--json").json[-1]["external_task_id"]
    accepted = solo.do("accept", task)
    assert accepted.code == 0, accepted.out + accepted.err
    assert "accepted" in accepted.out
    assert solo.do("evidence", "verify").code == 0


def test_work_on_an_unsure_request_is_judged_as_a_change(solo: Solo) -> None:
    ran = solo("Can you bring the pager up to date?", "echo 'NEW = 1' >> calc.py")
    assert ran.code == 0, ran.out + ran.err


def test_a_name_of_several_files_is_asked_about(solo: Solo) -> None:
    (solo.project / "legacy" / "inner.py").write_text("y = 1\n", "utf-8")
    ran = solo("Update inner.py", "echo 'x = 2' > pkg/inner.py")
    assert ran.code == 2, ran.out + ran.err
    assert "legacy/inner.py, pkg/inner.py" in ran.err


@pytest.mark.timeout(90)
@pytest.mark.long
def test_a_mode_in_a_company(bench: CompanyBench) -> None:
    bench.repository.write("run.sh", "echo run\n")
    bench.repository.commit("A script")
    bench.company.does("chmod +x run.sh")
    ran = bench.run("Make run.sh executable")
    assert ran.code == 0, ran.out + ran.err


@pytest.mark.timeout(90)
@LONG
def test_a_half_move_in_a_company(bench: CompanyBench) -> None:
    bench.repository.write("notes.txt", "one\ntwo\nthree\n")
    bench.repository.commit("Notes")
    bench.company.does("git rm -q notes.txt; echo x > log.txt")
    ran = bench.run("Rename notes.txt to log.txt")
    assert ran.code == 2, ran.out + ran.err
