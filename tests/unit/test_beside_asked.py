"""What goes along with an asked change of settings is no part of it."""

import pytest

from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.gates.weaker.beside_asked import beside_asked

GATES = (Gate(kind="lint", argv=("make", "lint"), source="Makefile"),)
COVERAGE = "[run]\nsource = geo\n\n[report]\nfail_under = 90\n"
RUFF = (
    '[tool.ruff.lint]\nselect = ["E", "F", "B"]\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n'
)
TOX = "[tox]\nenvlist = py39, py311\n\n[testenv]\ndeps = pytest\ncommands = pytest -q test\n"
CI = (
    "jobs:\n  test:\n    strategy:\n      matrix:\n        python: ['3.10', '3.11', '3.12']\n"
    "    steps:\n      - uses: actions/checkout@v3\n      - run: make test\n"
)
BIOME = '{\n  "linter": {\n    "rules": {\n      "noUnused": "error"\n    }\n  }\n}\n'
WORKFLOW = ".github/workflows/ci.yml"


@pytest.mark.parametrize(
    ("instruction", "path", "before", "after"),
    [
        (
            "カバレッジの下限を85に下げてください",
            ".coveragerc",
            COVERAGE,
            COVERAGE.replace("90", "85"),
        ),
        (
            "カバレッジの下限を85に下げて、geo/plot.py は計測の対象外にしてください。",
            ".coveragerc",
            COVERAGE,
            COVERAGE.replace("90", "85").replace("geo\n\n", "geo\nomit = geo/plot.py\n\n"),
        ),
        (
            "ruff complains about table.py (E501). Allow long lines in that file, nowhere else.",
            "pyproject.toml",
            RUFF,
            RUFF.replace(
                "[tool.pytest",
                '[tool.ruff.lint.per-file-ignores]\n"table.py" = ["E501"]\n\n[tool.pytest',
            ),
        ),
        (
            "tox.ini の py39 を py312 に置き換えて",
            "tox.ini",
            TOX,
            TOX.replace("py39, py311", "py311, py312"),
        ),
        (
            "Run the tests in parallel with tox (pytest -n auto)",
            "tox.ini",
            TOX,
            TOX.replace("-q", "-q -n auto"),
        ),
        (
            "Please test on Python 3.13 in CI as well.",
            WORKFLOW,
            CI,
            CI.replace("'3.12'", "'3.12', '3.13'"),
        ),
        (
            "Test only on Python 3.13 in CI.",
            WORKFLOW,
            CI,
            CI.replace("'3.10', '3.11', '3.12'", "'3.13'"),
        ),
        ("Drop Python 3.10 from CI", WORKFLOW, CI, CI.replace("'3.10', ", "")),
        ("Bump the actions in CI to v4", WORKFLOW, CI, CI.replace("@v3", "@v4")),
        (
            "Turn off mypy for the scripts folder",
            "mypy.ini",
            "[mypy]\nstrict = True\n",
            "[mypy]\nstrict = True\n\n[mypy-scripts.*]\nignore_errors = True\n",
        ),
        ("Relax the rules of ruff", "pyproject.toml", RUFF, RUFF.replace('"E", "F", "B"', '"F"')),
        (
            "Leave geo/legacy.py out of the coverage report",
            ".coveragerc",
            COVERAGE,
            COVERAGE.replace("geo\n\n", "geo\nomit = geo/legacy.py\n\n"),
        ),
        (
            "Set fail_under to 60 in .coveragerc",
            ".coveragerc",
            COVERAGE,
            COVERAGE.replace("90", "60"),
        ),
    ],
)
def test_what_was_asked_for_brings_nothing_along(
    instruction: str, path: str, before: str, after: str
) -> None:
    assert list(beside_asked(instruction, path, (before, after), GATES)) == []


@pytest.mark.parametrize(
    ("instruction", "path", "before", "after", "word"),
    [
        (
            "カバレッジの下限を85に下げてください",
            ".coveragerc",
            COVERAGE,
            COVERAGE.replace("90", "85").replace("geo\n\n", "geo\nomit = geo/area.py\n\n"),
            "omit",
        ),
        (
            "カバレッジの下限を85に下げてください",
            ".coveragerc",
            COVERAGE,
            COVERAGE.replace("90", "85\nomit = geo/area.py"),
            "omit",
        ),
        (
            "ruff complains about table.py (E501). Allow long lines in that file, nowhere else.",
            "pyproject.toml",
            RUFF,
            RUFF.replace('"B"]\n', '"B"]\nignore = ["E501"]\n'),
            "not for table alone",
        ),
        (
            "tox.ini の py39 を py312 に置き換えて",
            "tox.ini",
            TOX,
            TOX.replace("py39", "py312").replace("-q", "-q --collect-only"),
            "collect-only",
        ),
        (
            "Please test on Python 3.13 in CI as well.",
            WORKFLOW,
            CI,
            CI.replace("'3.10', '3.11', '3.12'", "'3.13'"),
            "3.10",
        ),
        (
            "Please test on Python 3.13 in CI as well.",
            WORKFLOW,
            CI,
            CI.replace("'3.12'", "'3.13'"),
            "3.12",
        ),
        (
            "Please test on Python 3.13 in CI as well.",
            WORKFLOW,
            CI,
            CI.replace("'3.12'", "'3.12', '3.13'").replace(
                "make test\n", "make test\n        continue-on-error: true\n"
            ),
            "continue-on-error",
        ),
        (
            "Bump the actions in CI to v4",
            WORKFLOW,
            CI,
            CI.replace("@v3", "@v4").replace("      - run: make test\n", ""),
            "make test",
        ),
        (
            "Turn off mypy for the scripts folder",
            "mypy.ini",
            "[mypy]\nstrict = True\n",
            "[mypy]\nstrict = True\nignore_errors = True\n",
            "scripts",
        ),
    ],
)
def test_what_goes_along_is_named(
    instruction: str, path: str, before: str, after: str, word: str
) -> None:
    found = list(beside_asked(instruction, path, (before, after), GATES))
    assert any(word in one for one in found), found


def test_a_word_that_stands_everywhere_asks_for_nothing() -> None:
    """ "Python" names the project here, and not the list of versions that it is tested with."""
    after = CI.replace("'3.10', '3.11', ", "").replace("checkout@v3", "checkout@v4")
    asked = "Use checkout v4 in the ci of this python project"
    (found,) = beside_asked(asked, WORKFLOW, (CI, after), GATES)
    assert "python: ['3.12']" in found
