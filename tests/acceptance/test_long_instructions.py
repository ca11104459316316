"""Instructions as people paste and tell them, end to end: done they are COMPLETE, talk is not.

They are those of the table of readings; what is honest work follows from what is demanded there.
"""

import shutil
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.runner.instructions.words.wording import is_japanese
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, commit_all

TABLE = Path(__file__).parents[1] / "unit" / "instructions"
FILES = (
    *("README.md", "CHANGELOG.md", "Makefile", "package.json", "pyproject.toml", ".gitignore"),
    *(".github/workflows/ci.yml", "Dockerfile", "main.py", "config.py", "src/app.py"),
    *("src/cart.py", "src/auth/login.py", "src/auth/token.py", "src/api/client.py"),
    *("src/utils/dates.js", "src/Button.tsx", "docs/guide.md", "docs/install.md"),
    *("scripts/deploy.sh", "scripts/build.sh", "templates/index.html", "static/style.css"),
    *("legacy/old.py", "legacy/notes.txt", "data/users.csv", "tests/test_cart.py"),
)
TESTS = (
    "import unittest\n\nfrom src.cart import total\n\n\nclass TotalTest(unittest.TestCase):\n"
    "    def test_two(self):\n        self.assertEqual(total([1, 2]), 3)\n"
)
CONTENTS = {
    "package.json": '{"name": "pkg", "scripts": {"tset": "jest"}}\n',
    "Makefile": "test:\n\t@python3 -B -m unittest discover -s tests -t . 2>&1\n",
    "src/cart.py": "def total(prices):\n    return sum(prices)\n",
    "tests/test_cart.py": TESTS,
    "tests/__init__.py": "",
    "src/__init__.py": "",
}
WORK = {
    ".py": "def more(given):\n    return given + 1\n",
    ".js": "function more(given) { return given + 1; }\n",
    ".tsx": "export const more = (given: number) => given + 1;\n",
    ".css": "small { color: #333; }\n",
    ".html": "<p>More of it.</p>\n",
    ".sh": 'echo "more of it"\n',
}
MORE_TESTS = "\n    def test_none(self):\n        self.assertEqual(total([]), 0)\n"
REPAIRED = (
    "echo 'def more(given):\n    return given + 1' >> src/app.py; "
    f"echo '{TESTS.replace('src.cart import total', 'src.app import more')}' | "
    "sed 's/total(.*$/more(2), 3)/' > tests/test_app.py"
)
BY_HAND = {
    "and add a test for it": REPAIRED,
    "add a regression test": REPAIRED,
    "Tests, please": REPAIRED,
    "requires-python": "echo 'requires-python = \">=3.10\"' >> pyproject.toml",
    "No rule to make target": "printf '\\nlint:\\n\\tpython3 -m compileall -q src\\n' >> Makefile",
    "called tset": "sed -i s/tset/test/ package.json",
    "mean(values)": "echo 'def mean(values):\n    if not values:\n"
    "        raise ValueError(values)\n    return sum(values) / len(values)' > src/stats.py",
}
"""Where the words say more exactly what is to be done."""
ELSEWHERE = "src/app.py"
"""Where work is done that names no file."""
QUICK = 40
TELLS = "It is so because the second call comes first; see the three places that I list below."


def rows() -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for path in sorted(TABLE.glob("everyday_long_*.tsv")):
        lines = (line.split("\t") for line in path.read_text("utf-8").splitlines())
        found += [(wanted, demanded, text.replace("\\n", "\n")) for wanted, demanded, text in lines]
    return found


@pytest.fixture
def project(tmp_path: Path, made_project: Path) -> Path:
    root = shutil.copytree(made_project, tmp_path / "project", symlinks=True)
    for name in (*FILES, *CONTENTS):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CONTENTS.get(name, f"# {path.stem}\n"), "utf-8")
    commit_all(root)
    return root


def work_for(demanded: str, instruction: str) -> str:
    """A shell script that does what is demanded, and nothing else."""
    found = next((script for words, script in BY_HAND.items() if words in instruction), None)
    if found is not None:
        return found
    steps: list[str] = []
    for demand in demanded.split(", ") if demanded else [f"!{ELSEWHERE}"]:
        kind, name = demand[0], demand[1:]
        text = WORK.get(Path(name).suffix, "More of it, in plain words.\n")
        text = MORE_TESTS if name.startswith("tests/") else text
        folder = f"mkdir -p '{Path(name).parent}'"
        steps.append(f"rm '{name}'" if kind == "-" else f"{folder}; cat >> '{name}' <<'X'\n{text}X")
    return "\n".join(steps)


def cases() -> list[Any]:
    """A few of them with every run of the tests."""
    return [
        pytest.param(*row, marks=[] if number % QUICK == 0 else [pytest.mark.long])
        for number, row in enumerate(rows())
    ]


def test_there_are_enough_in_both_languages() -> None:
    texts = [text for _, _, text in rows()]
    assert len(texts) >= 150
    assert sum(is_japanese(text) for text in texts) >= 50
    assert sum("\n" in text for text in texts) >= 50


@pytest.mark.parametrize(("wanted", "demanded", "instruction"), cases())
def test_work_is_complete_and_talk_is_not(
    program: Program,
    project: Path,
    claude: ClaudeScript,
    wanted: str,
    demanded: str,
    instruction: str,
) -> None:
    asked = ("run", instruction, "--solo", "--project", str(project))
    talked = program(*asked, env=claude.does("true", says=TELLS))
    if wanted == "answer":
        assert talked.code == 0, talked.out + talked.err
        return
    assert talked.code == 2, talked.out + talked.err
    done = program(*asked, env=claude.does(work_for(demanded, instruction), says="Done."))
    assert done.code == 0, done.out + done.err
