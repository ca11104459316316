"""What of a change belongs to the checks, and what to the product."""

import pytest

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.gates.compare.check_files import is_product_code, is_setting, is_test, split


@pytest.mark.parametrize(
    "path",
    [
        *("tests/test_calc.py", "test_calc.py", "calc_test.go", "src/calc.test.js", "tests.py"),
        *("conftest.py", "pkg/conftest.py", "tests/data/words.txt", "src/test/java/ATest.java"),
        *("app/__snapshots__/a.snap", "spec/a_spec.rb", "run_tests.sh", "check.sh", "t/basic.t"),
    ],
)
def test_tests_and_what_they_use(path: str) -> None:
    assert is_test(path)
    assert not is_product_code(path)


@pytest.mark.parametrize(
    "path",
    [
        *("Makefile", "sub/Makefile", "build.mk", "package.json", "pyproject.toml", "tox.ini"),
        *(".github/workflows/ci.yml", ".coveragerc", "jest.config.js", "pytest.ini", "noxfile.py"),
        *("sitecustomize.py", "lib/x.pth", ".env"),
    ],
)
def test_settings_of_checks(path: str) -> None:
    assert is_setting(path)
    assert not is_product_code(path)


@pytest.mark.parametrize(
    "path",
    [
        *("calc.py", "latest.py", "contest.py", "src/attest.py", "protest.js", "greet.sh"),
        *("testing/tool.py", "inspect.py", "lib/inspector.rb", "ci/deploy.sh", "cmd/main.go"),
    ],
)
def test_product(path: str) -> None:
    assert is_product_code(path)
    assert not is_test(path)
    assert not is_setting(path)


@pytest.mark.parametrize("path", ["README.md", "data/words.json", "docs/a.rst", "logo.png"])
def test_neither(path: str) -> None:
    assert not (is_product_code(path))
    assert not (is_test(path))
    assert not (is_setting(path))


def test_each_change_is_on_one_side() -> None:
    changes = (
        FileChange(path="calc.py", kind="modified", size=1),
        FileChange(path="tests/test_b.py", kind="renamed", size=1, previous_path="calc_b.py"),
        FileChange(path="pytest.ini", kind="modified", size=1),
        FileChange(path="odd.py", kind="modified", size=1),
    )
    found = split("test", changes, named=(), collected=("odd.py",))
    assert [(c.path, c.kind) for c in found.checks] == [
        ("tests/test_b.py", "created"),
        ("pytest.ini", "modified"),
        ("odd.py", "modified"),
    ]
    assert [(c.path, c.kind) for c in found.product] == [
        ("calc.py", "modified"),
        ("calc_b.py", "deleted"),
    ]


def test_a_setting_that_was_asked_for_is_product_and_a_test_never_is() -> None:
    changes = tuple(
        FileChange(path=path, kind="modified", size=1) for path in ("Makefile", "test_a.py")
    )
    found = split("test", changes, named=("Makefile", "test_a.py"), collected=())
    assert [c.path for c in found.product] == ["Makefile"]


def test_for_a_linter_tests_are_looked_at_like_everything_else() -> None:
    changes = tuple(
        FileChange(path=path, kind="modified", size=1) for path in ("ruff.toml", "test_a.py")
    )
    found = split("lint", changes, named=(), collected=())
    assert [c.path for c in found.checks] == ["ruff.toml"]


@pytest.mark.parametrize(
    ("path", "kind", "check"),
    [
        ("pytest.py", "created", True),
        ("src/json/__init__.py", "created", True),
        ("unittest/__init__.py", "created", True),
        ("queue.py", "modified", False),
        ("site/index.html", "created", False),
        ("calc.py", "created", False),
    ],
)
def test_a_new_module_in_place_of_a_tool_is_no_product(path: str, kind: str, check: bool) -> None:
    change = FileChange(path=path, kind=kind, size=1)  # pyright: ignore[reportArgumentType]
    assert bool(split("test", (change,), (), ()).checks) is check
