"""Which command a project's tests are run by, where no Makefile says it: one that works here."""

from collections.abc import Mapping

import pytest
from typing_extensions import override

from pm_orchestrator.gates.detect.detection import detect
from pm_orchestrator.gates.detect.just_recipes import recipes_in
from pm_orchestrator.gates.detect.task_runners import module_with_tests
from pm_orchestrator.testing.memory.memory_place import MemoryPlace

PYTEST_STYLE = "import pytest\n\ndef test_it():\n    assert 1\n"
PLAIN_STYLE = "def test_it():\n    assert 1\n"
UNITTEST_STYLE = "import unittest\nclass T(unittest.TestCase):\n    def test_it(self): ...\n"
TABULATE = {
    # The source distribution of tabulate, in short.
    "tox.ini": (
        "[tox]\nenvlist = lint, py{39,310}\n\n[testenv]\n"
        "commands = pytest -v --doctest-modules --ignore benchmark {posargs}\ndeps =\n    pytest\n"
        "\n[testenv:lint]\ncommands = python -m pre_commit run -a\n"
    ),
    "tabulate/__init__.py": "",
    "test/common.py": "import pytest\n",
    "test/test_api.py": "from common import assert_equal\n\ndef test_a():\n    assert 1\n",
    "pyproject.toml": "[build-system]\nrequires = ['setuptools']\n[project]\nname = 'tabulate'\n",
}
NODE_TEST = "const test = require('node:test');\ntest('x', () => {});\n"


class Machine(MemoryPlace):
    """A project on a machine that has these programs, and modules of its Pythons."""

    def __init__(self, files: Mapping[str, str], *has: str) -> None:
        super().__init__({name: text.encode() for name, text in files.items()}, {})
        self._has = has

    @override
    async def can_run(self, argv: tuple[str, ...]) -> bool:
        if argv[1:2] == ("-m",) and argv[2] != "unittest":
            return f"{argv[0]} {argv[2]}" in self._has
        return argv[0] in self._has


async def command(files: Mapping[str, str], *has: str) -> str | None:
    """The test gate."""
    gates = await detect(Machine(files, *has))
    return next((" ".join(g.argv) for g in gates if g.kind == "test"), None)


SYSTEM = ("python3", "python3 pytest", "node", "npm", "make")
BARE = ("python3", "node", "npm")


async def test_the_source_distribution_of_tabulate() -> None:
    here = "--doctest-modules --ignore benchmark"
    assert await command(TABULATE, *SYSTEM) == f"python3 -m pytest {here}"
    own = (".venv/bin/python", ".venv/bin/python pytest")
    assert await command(TABULATE, *SYSTEM, *own) == f".venv/bin/python -m pytest {here}"
    assert await command(TABULATE, *BARE, "tox") == "tox"
    # It is not to be had, and that is said by running it.
    assert await command(TABULATE, *BARE) == f"python3 -m pytest {here}"
    without_tox = {name: text for name, text in TABULATE.items() if name != "tox.ini"}
    assert await command(without_tox, *SYSTEM) == "python3 -m pytest"


async def test_what_chooses_tests_is_kept_and_looks_are_not() -> None:
    said = "pytest -q --pyargs calc --color=yes --runxfail {posargs}"
    files = {"tox.ini": f"[testenv]\ncommands = {said}\n", "calc/test_a.py": PYTEST_STYLE}
    found = await command(files, *SYSTEM)
    assert found == "python3 -m pytest --pyargs calc --runxfail"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"tests/test_a.py": PYTEST_STYLE}, "python3 -m pytest"),
        ({"tests/test_a.py": PLAIN_STYLE}, "python3 -m pytest"),
        ({"test_a.py": PLAIN_STYLE, "a.py": ""}, "python3 -m pytest"),
        ({"tests/unit/test_a.py": PLAIN_STYLE}, "python3 -m pytest"),
        ({"pkg/__init__.py": "", "pkg/tests/test_a.py": PLAIN_STYLE}, "python3 -m pytest"),
        ({"src/pkg/__init__.py": "", "src/pkg/tests/test_a.py": PLAIN_STYLE}, "python3 -m pytest"),
        ({"tests/a_test.py": PLAIN_STYLE}, "python3 -m pytest"),
        ({"tests/test_a.py": UNITTEST_STYLE}, "python3 -m unittest discover -s tests"),
        (
            {"tests/test_a.py": UNITTEST_STYLE, "tests/__init__.py": ""},
            "python3 -m unittest discover -s tests -t .",
        ),
        ({"test/test_a.py": UNITTEST_STYLE}, "python3 -m unittest discover -s test"),
        ({"test_a.py": UNITTEST_STYLE}, "python3 -m unittest discover"),
        # Nobody but pytest finds these.
        ({"tests/unit/test_a.py": UNITTEST_STYLE}, "python3 -m pytest"),
        ({"tests/test_a.py": UNITTEST_STYLE, "conftest.py": ""}, "python3 -m pytest"),
        ({"tests/test_a.py": UNITTEST_STYLE, "pytest.ini": "[pytest]\n"}, "python3 -m pytest"),
        ({".pytest.ini": ""}, "python3 -m pytest"),
        ({"setup.cfg": "[metadata]\n[tool:pytest]\n"}, "python3 -m pytest"),
        ({"tox.ini": "[pytest]\naddopts = -q\n"}, "python3 -m pytest"),
        ({"requirements-dev.txt": "ruff\npytest==8.1\n"}, "python3 -m pytest"),
        ({"requirements/test.in": "pytest\n"}, "python3 -m pytest"),
        (
            {"pyproject.toml": "[tool.poetry.group.dev.dependencies]\npytest = '*'\n"},
            "python3 -m pytest",
        ),
        (
            {
                "noxfile.py": "def tests(session):\n    session.run('pytest', 'tests')\n",
                "tests/x": "",
            },
            "python3 -m pytest tests",
        ),
        (
            {"tox.ini": "[testenv]\ncommands =\n  coverage run -m unittest discover -s t\n"},
            "python3 -m unittest discover -s t",
        ),
        ({"tox.ini": "[testenv]\ncommands =\n  ./own-tests.sh\n"}, "tox"),
        ({"justfile": "test *args: build\n  pytest\n"}, "just test"),
        # No tests, whatever the names say.
        ({"requirements.txt": "pytest-cov\nflask\n"}, None),
        ({"setup.cfg": "[flake8]\n"}, None),
        ({"contest.py": "", "docs/test_notes.md": "x"}, None),
        ({"tests/readme.md": "none yet"}, None),
        ({"testing.py": "x = 1\n"}, None),
    ],
)
async def test_python_projects(files: dict[str, str], expected: str | None) -> None:
    assert await command(files, *SYSTEM) == expected


async def test_without_pytest_the_tests_that_do_without_it_are_run() -> None:
    mixed = {"tests/test_a.py": UNITTEST_STYLE, "tests/test_b.py": PLAIN_STYLE}
    assert await command(mixed, *BARE) == "python3 -m unittest discover -s tests"
    assert await command({"tests/test_b.py": PLAIN_STYLE}, *BARE) == "python3 -m pytest"
    named = {"tests/a_test.py": UNITTEST_STYLE}
    assert await command(named, *BARE) == "python3 -m unittest discover -s tests -p *_test*.py"


@pytest.mark.parametrize(
    ("files", "has", "expected"),
    [
        ({"package.json": '{"scripts": {"test": "x"}}'}, (), "npm run test"),
        ({"package.json": '{"scripts": {"test": "x"}}', "yarn.lock": ""}, (), "npm run test"),
        (
            {"package.json": '{"scripts": {"test": "x"}}', "yarn.lock": ""},
            ("yarn",),
            "yarn run test",
        ),
        (
            {"package.json": '{"scripts": {"test": "x"}}', "pnpm-lock.yaml": ""},
            ("pnpm", "yarn"),
            "pnpm run test",
        ),
        (
            {"package.json": '{"scripts": {"test": "x"}, "packageManager": "yarn@4.1.0"}'},
            ("yarn",),
            "yarn run test",
        ),
        ({"package.json": "{}", "sum.test.js": NODE_TEST}, (), "node --test"),
        ({"test/sum.js": NODE_TEST}, (), "node --test"),
        ({"src/sum.spec.mjs": "import 'node:test'\n"}, (), "node --test"),
        ({"sum.test.js": "require('assert').equal(1, 1)\n"}, (), "node --test"),
        (
            {"package.json": '{"devDependencies": {"jest": "1"}}', "a.test.js": "test('x')\n"},
            (),
            "node_modules/.bin/jest",
        ),
        # Written for a runner that nobody names.
        ({"a.test.js": "describe('x', () => {})\n"}, (), None),
        ({"package.json": "{}", "index.js": "", "latest.js": ""}, (), None),
    ],
)
async def test_javascript_projects(
    files: dict[str, str], has: tuple[str, ...], expected: str | None
) -> None:
    assert await command(files, *BARE, *has) == expected


async def test_the_first_source_that_can_be_run_wins() -> None:
    both = {"Makefile": "test:\n\tx\n", "justfile": "test:\n  x\n", "tests/test_a.py": PLAIN_STYLE}
    assert await command(both, *SYSTEM) == "make test"
    assert await command(both, "just") == "just test"
    assert await command(both, "python3 pytest") == "python3 -m pytest"
    assert await command(both) == "make test"


async def test_a_linter_of_the_project_comes_first() -> None:
    (gate,) = await detect(Machine({"pyproject.toml": "[tool.ruff]\n"}, "ruff", ".venv/bin/ruff"))
    assert (gate.kind, gate.argv) == ("lint", (".venv/bin/ruff", "check", "."))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pytest", "pytest"),
        ("py.test --cov=x --cov-report term tests", "pytest tests"),
        ("python -m pytest -n auto -k 'not slow' tests/unit", "pytest -k not slow tests/unit"),
        ("{envpython} -m pytest {toxinidir}/tests", "pytest"),
        ("coverage run --source=x -m pytest --ignore=tests/slow", "pytest --ignore=tests/slow"),
        ("python -m unittest discover -v", "unittest discover -v"),
        ("trial tests", "twisted.trial tests"),
        ("coverage report", None),
        ("python setup.py sdist", None),
        ("flake8 tests", None),
        ("python -m", None),
        ("python -m build", None),
        ("", None),
    ],
)
def test_what_is_taken_of_a_command(line: str, expected: str | None) -> None:
    import shlex

    found = module_with_tests(tuple(shlex.split(line)), frozenset({"tests"}))
    assert (None if found is None else " ".join(found)) == expected


@pytest.mark.parametrize(
    ("name", "broken", "expected"),
    [
        ("tox.ini", "[testenv]\ncommands = pytest\n= none\n", "tox"),
        ("tox.ini", "[testenv]\ncommands = pytest 'tests\n", "tox"),
        ("noxfile.py", "def test(session:\n    session.run('pytest')\n", "nox"),
    ],
)
async def test_what_cannot_be_read_is_left_to_its_own_program(
    name: str, broken: str, expected: str
) -> None:
    assert await command({name: broken}, *SYSTEM) == expected


async def test_tests_far_below_are_looked_for_no_deeper() -> None:
    deep = {"tests/a/test_a.py": PLAIN_STYLE, "tests/a/b/c/d/e/test_b.py": PLAIN_STYLE}
    assert await command(deep, *SYSTEM) == "python3 -m pytest"


def test_recipes() -> None:
    text = "set shell := ['sh']\nname := 'x'\n@lint:\n  ruff\ntest arg='a b': lint\n  x: y\n"
    assert recipes_in(text) == {"lint", "test"}


async def test_tests_for_unittest_may_become_tests_for_pytest() -> None:
    """Settled before the task, and only where pytest could run them."""
    files = {"tests/test_a.py": UNITTEST_STYLE}
    (gate,) = await detect(Machine(files, *SYSTEM))
    assert (gate.argv[2], gate.otherwise) == ("unittest", ("python3", "-m", "pytest"))
    (gate,) = await detect(Machine(files, *BARE))
    assert (gate.argv[2], gate.otherwise) == ("unittest", ())
