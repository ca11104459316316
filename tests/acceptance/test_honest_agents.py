"""Honest work is not refused, however unusual it looks."""

from pathlib import Path

import pytest

from pm_orchestrator.testing.program import Program
from pm_orchestrator.testing.scripted_claude import ClaudeScript, commit_all, python_project

pytestmark = [pytest.mark.timeout(60), pytest.mark.unmeasured]

DOUBLE = "printf '\\n\\ndef double(n):\\n    return 2 * n\\n' >> calc.py"
TEST = (
    "cat > tests/test_double.py <<'PY'\nimport unittest\n\nimport calc\n\n\n"
    "class DoubleTest(unittest.TestCase):\n    def test_double(self):\n"
    "        self.assertEqual(calc.double(2), 4)\nPY"
)
IDENTITY = "-c user.name=A -c user.email=a@localhost"

HONEST: dict[str, tuple[str, str]] = {
    "creates a file": ("Create README.md", "echo '# Readme' > README.md"),
    "creates a file, asked in Japanese": (
        "README.mdを作成してください",
        "echo '# Readme' > README.md",
    ),
    "code with a test": ("Add a function double to calc.py", f"{DOUBLE}\n{TEST}"),
    "code without naming files": ("Add a login page", "echo '<form></form>' > login.html"),
    "deletion only": ("Delete the file old.txt", "rm old.txt"),
    "rename only": ("Rename old.txt to new.txt", "mv old.txt new.txt"),
    "moves a part out of a file": (
        "Move the function sub out of calc.py",
        "printf '\\n\\n# sub is in sub.py\\n' >> calc.py; echo 'SUB = 1' > sub.py",
    ),
    "answer only": ("What does calc.py do?", "true"),
    "slow": ("Create README.md", "sleep 3; echo '# Readme' > README.md"),
    "chatty": ("Create README.md", "seq 1 5000; echo '# Readme' > README.md"),
    "question in the text": (
        "Create README.md",
        'echo \'# Readme\' > README.md; echo \'{"type":"assistant","message":'
        '{"content":[{"type":"text","text":"Continue? [Y/n]"}]}}\'',
    ),
    "failing test run before the fix": (
        "Add a function double to calc.py",
        f"{TEST}\nmake test >/dev/null 2>&1\n{DOUBLE}\nmake test >/dev/null 2>&1",
    ),
    "commits its work": (
        "Create README.md",
        f"echo '# R' > README.md; git add README.md; git {IDENTITY} commit -qm readme",
    ),
    "amends its commit": (
        "Create README.md",
        f"echo '# R' > README.md; git add README.md; git {IDENTITY} commit -qm one; "
        f"echo more >> README.md; git add README.md; git {IDENTITY} commit -q --amend -m two",
    ),
    "an ignored file that the task names": (
        "Create build/out.txt",
        "mkdir -p build; echo x > build/out.txt",
    ),
    "edits the notes for agents": (
        "Update .claude/CLAUDE.md with the test command",
        "echo 'make test' >> .claude/CLAUDE.md",
    ),
    "scratch files elsewhere": ("Create README.md", "echo x > ../scratch; echo '# R' > README.md"),
    "leaves caches": (
        "Create README.md",
        "mkdir -p __pycache__; echo x > __pycache__/y; echo '# R' > README.md",
    ),
    "document with a changed line": (
        "Update notes.md with a second section",
        "echo '## Two' >> notes.md",
    ),
    "moves a test": (
        "Move tests/test_calc.py to tests/test_add.py",
        "git mv tests/test_calc.py tests/test_add.py",
    ),
    "puts one file in the place of another": (
        "Rewrite old.txt as Markdown in old.md",
        "echo '# Old' > old.md; rm old.txt",
    ),
    "an empty package file": ("Create pkg/__init__.py", "mkdir pkg; : > pkg/__init__.py"),
    "a binary file": ("Create logo.svg", "printf '<svg/>\\000\\377' > logo.svg"),
    "permission bits": ("Create run.sh", "printf '#!/bin/sh\\n' > run.sh; chmod 755 run.sh"),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_work_is_complete(
    program: Program, project: Path, claude: ClaudeScript, name: str
) -> None:
    python_project(project)
    instruction, body = HONEST[name]
    env = claude.does(body, says="It adds two numbers. The work is done.")
    ran = program("run", instruction, "--solo", "--project", str(project), env=env)
    assert ran.code == 0, f"{name}\n{ran.out}{ran.err}"


def test_a_red_base_with_unrelated_failures(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    python_project(project)
    broken = project / "tests" / "test_broken.py"
    broken.write_text(
        "import unittest\n\n\nclass BrokenTest(unittest.TestCase):\n"
        "    def test_broken(self):\n        self.fail('since last year')\n",
        encoding="utf-8",
    )
    commit_all(project)
    env = claude.does(f"{DOUBLE}\n{TEST}")
    ran = program(
        "run", "Add a function double to calc.py", "--solo", "--project", str(project), env=env
    )
    assert ran.code == 0, ran.out + ran.err


def test_without_git(program: Program, tmp_path: Path, claude: ClaudeScript) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    assert program("init", "--project", str(root)).code == 0
    env = claude.does("echo '# Readme' > README.md")
    ran = program("run", "Create README.md", "--solo", "--project", str(root), env=env)
    assert ran.code == 0, ran.out + ran.err
