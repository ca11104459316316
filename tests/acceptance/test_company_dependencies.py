"""What is installed in the user's checkout is seen in a company's sandboxes, and stays as it is."""

import subprocess
import sys
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.calc_parts import ONE, adds
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.scripted.scripted_company import allow_one_attempt

SPOIL = "printf 'def add(a, b):\\n    return 7\\n' > calc/core.py"
PACKAGE = "def hello():\n    return 'hello'\n"
CHECK = (
    "import unittest, greeting\nassert greeting.hello() == 'hello'\nunittest.main(module=None)\n"
)
MAKEFILE = "test:\n\t.venv/bin/check discover -s tests -t .\n"
VANDAL = (
    "rm -rf .venv/bin/activate; for f in .venv/lib/python3*/site-packages/greeting.py; do "
    "rm $f; echo 'def hello(): return 1' > $f; done; echo 1 > .venv/new; "
)
SECRETS = (
    "test ! -e .env || cp .env calc/leak.py; cp .venv/pip.conf calc/leak.py 2>/dev/null; true\n"
)


def installs(bench: CompanyBench) -> Path:
    """Give the project an environment with one package and one program, and a secret beside it.

    The program is a script that begins with the path of the environment's Python.
    """
    root, environment = bench.root, bench.root / ".venv"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", environment], check=True, timeout=60
    )
    (packages,) = environment.glob("lib/python3*/site-packages")
    (packages / "greeting.py").write_text(PACKAGE, "utf-8")
    # As an editable installation has it.
    (packages / "calc.pth").write_text(f"{root}\n", "utf-8")
    (environment / "bin/check").write_text(f"#!{environment}/bin/python\n{CHECK}", "utf-8")
    (environment / "bin/check").chmod(0o755)
    (environment / "pip.conf").write_text("index-url = https://me:secret@localhost/\n", "utf-8")
    (root / ".env").write_text("TOKEN=secret\n", "utf-8")
    bench.repository.write("Makefile", MAKEFILE)
    bench.repository.write(".gitignore", "__pycache__/\n.venv\n.env\n")
    bench.repository.commit("Test with the environment")
    allow_one_attempt(root)
    return environment


@pytest.mark.long
@pytest.mark.parametrize(
    ("script", "code", "status"),
    [
        (f"{SECRETS}{adds('double', 2)}make test && {VANDAL}", 0, "COMPLETE"),
        (f"{adds('double', 2)}{SPOIL}", 2, "INCOMPLETE"),
    ],
    ids=["honest", "spoilt"],
)
def test_gates_find_the_environment_of_the_project(
    bench: CompanyBench, script: str, code: int, status: str
) -> None:
    environment = installs(bench)
    before = bench.worktree()
    bench.company.does(script)
    ran = bench.run(ONE)
    assert (ran.code, ran.json["status"]) == (code, status), ran.out + ran.err
    # Neither the tests nor a worker's vandalism came through, and no secret went along.
    assert bench.worktree() == before
    assert not (environment / "new").exists()
    names = {name for commit in bench.branches.values() for name in bench.names(commit)}
    assert "calc/double.py" in names
    assert not {name for name in names if name.startswith((".venv", ".env", "calc/leak"))}


@pytest.mark.long
def test_node_finds_its_modules(bench: CompanyBench) -> None:
    module = bench.root / "node_modules/adder"
    module.mkdir(parents=True)
    (module / "index.js").write_text("module.exports = (a, b) => a + b;\n", "utf-8")
    programs = bench.root / "node_modules/.bin"
    programs.mkdir()
    run = (
        "#!/usr/bin/env node\nrequire('fs').mkdirSync('node_modules/.cache/x', {recursive: true})\n"
    )
    (programs / "runner").write_text(f"{run}require(process.cwd() + '/check.js')\n", "utf-8")
    (programs / "runner").chmod(0o755)
    bench.repository.write(
        "package.json", '{"name": "p", "private": true, "scripts": {"test": "runner"}}\n'
    )
    bench.repository.write(
        "check.js", "require('assert')(require('adder')(1, require('./two')) === 3);\n"
    )
    bench.repository.write("two.js", "module.exports = 2;\n")
    bench.repository.write("Makefile", "test:\n\tnpm test\n")
    bench.repository.write(".gitignore", "node_modules/\n")
    bench.repository.commit("Use a module")
    allow_one_attempt(bench.root)
    bench.company.does("echo 'module.exports = 4;' > other.js && npm test")
    ran = bench.run("Create other.js that exports 4")
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err
    assert not (bench.root / "node_modules/.cache").exists()
    bench.company.does("echo 'module.exports = 5;' > more.js; echo 'module.exports = 9;' > two.js")
    ran = bench.run("Create more.js that exports 5")
    assert (ran.code, ran.json["status"]) == (2, "INCOMPLETE"), ran.out + ran.err


@pytest.mark.long
@pytest.mark.parametrize(
    ("makefile", "more", "says", "cure"),
    [
        (
            "test:\n\t.venv/bin/python -m pytest\n",
            {"requirements.txt": "pytest\n"},
            ".venv/bin/python is missing",
            "run `pm-orchestrator sandbox build`",
        ),
        (
            "test:\n\tno-such-program --all\n",
            {},
            "there is no program no-such-program",
            "install it for the whole system",
        ),
    ],
    ids=["unprepared", "no program"],
)
def test_what_is_missing_is_said_before_a_token_is_spent(
    bench: CompanyBench, makefile: str, more: dict[str, str], says: str, cure: str
) -> None:
    bench.repository.write("Makefile", makefile)
    for name, text in more.items():
        bench.repository.write(name, text)
    bench.repository.commit("Want more")
    ran = bench.run(ONE)
    assert (ran.code, ran.json["status"]) == (1, "ERROR"), ran.out
    assert says in ran.err
    assert cure in ran.err
    assert bench.company.asked() == 0
