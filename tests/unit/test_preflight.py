"""What is missing where gates run, and the command that a person is told."""

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.gate import GateResult, GateVerdict
from pm_orchestrator.gates.detect.preparing import Lacking, is_declared, lacking, preparation
from pm_orchestrator.gates.detect.setup_recipes import SetupRecipe
from pm_orchestrator.runner.run.phases.preflight import refuse_hopeless
from pm_orchestrator.testing.memory.memory_place import MemoryPlace

PIP = "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"


def base(**files: str) -> MemoryPlace:
    return MemoryPlace({name: text.encode() for name, text in files.items()}, {})


@pytest.mark.parametrize(
    ("output", "name", "is_module"),
    [
        ("sh: 1: ruff: not found\nmake: *** [Makefile:2: lint] Error 127", "ruff", False),
        ("/bin/sh: 1: ruff: not found", "ruff", False),
        ("bash: line 1: cargo: command not found", "cargo", False),
        ("make: .venv/bin/ruff: No such file or directory", ".venv/bin/ruff", False),
        ("/usr/bin/env: \u2018node\u2019: No such file or directory", "node", False),
        ("env: jest: No such file or directory", "jest", False),
        ("E901: tox cannot be started: No such file or directory.", "tox", False),
        ("/usr/bin/python3: No module named pytest", "pytest", True),
        ("ModuleNotFoundError: No module named 'yaml.nodes'", "yaml.nodes", True),
        ("E   ModuleNotFoundError: No module named 'yaml'", "yaml", True),
        ("Error: Cannot find module '@scope/thing/lib'", "@scope/thing/lib", True),
        ("Error: first\nsh: 1: first: not found\nsh: 1: last: not found", "last", False),
    ],
)
def test_what_tools_miss_is_read(output: str, name: str, *, is_module: bool) -> None:
    assert lacking(output) == Lacking(name, is_module)


@pytest.mark.parametrize(
    "output",
    [
        "",
        "1 failed, 3 passed",
        "AssertionError: 404 page not found",
        "Error: Cannot find module './sum'",
        "KeyError: No module named is fine",
        "cat: notes.md: No such file or directory",
    ],
)
def test_what_tests_print_is_no_missing_tool(output: str) -> None:
    assert lacking(output) is None


@pytest.mark.parametrize(
    ("name", "is_module", "files", "command"),
    [
        (".venv/bin/ruff", False, {"uv.lock": ""}, "uv sync"),
        ("venv/bin/ruff", False, {"requirements.txt": "click\n", "package.json": "{}"}, PIP),
        ("node_modules/.bin/jest", False, {"package-lock.json": "{}", "uv.lock": ""}, "npm ci"),
        ("pytest", True, {"requirements.txt": "pytest==9\n"}, PIP),
        ("typing_extensions", True, {"requirements.txt": "Typing-Extensions>4\n"}, PIP),
        ("jest", False, {"package.json": '{"devDependencies": {"jest": "30"}}'}, "npm install"),
        (
            "@scope/a/b",
            True,
            {"package.json": '{"dependencies": {"@scope/a/b": "1"}}'},
            "npm install",
        ),
        ("pytest", True, {"requirements.txt": "pytest-cov\nmy-pytest\n"}, None),
        ("hadolint", False, {"uv.lock": ""}, None),
        ("scripts/check", False, {"uv.lock": ""}, None),
        (".venv/bin/ruff", False, {}, None),
    ],
)
async def test_the_project_says_how_it_is_prepared(
    name: str, files: dict[str, str], command: str | None, *, is_module: bool
) -> None:
    assert await preparation(base(**files), Lacking(name, is_module)) == command


async def test_a_module_that_is_asked_for_is_declared() -> None:
    assert await is_declared(base(**{"requirements.txt": "pyyaml\nyaml\n"}), "yaml.nodes")
    assert not await is_declared(base(**{"requirements.txt": "pyyaml\n"}), "calc.double")


def gate(verdict: GateVerdict, output: str, reason: str | None, tests: int | None) -> GateResult:
    return GateResult(
        kind="test", verdict=verdict, output=output, reason_key=reason, command=("x",), tests=tests
    )


NO_PYTEST = "/usr/bin/python3: No module named pytest"
NO_TOOL = "sh: 1: hadolint: not found"
NO_MODULE = "ModuleNotFoundError: No module named 'flask'"
WOULD_WRITE = "ModuleNotFoundError: No module named 'calc'"
CANNOT, FAIL, PASS = GateVerdict.COULD_NOT_RUN, GateVerdict.FAIL, GateVerdict.PASS
MISSING = "gate_program_missing"


@pytest.mark.parametrize(
    ("result", "slug"),
    [
        (gate(CANNOT, NO_PYTEST, MISSING, None), "base_gate_unprepared"),
        (gate(CANNOT, NO_TOOL, MISSING, None), "base_gate_lacks_program"),
        (gate(CANNOT, WOULD_WRITE, MISSING, None), "base_gate_unusable"),
        (gate(CANNOT, "", "gate_timed_out", None), "base_gate_unusable"),
        (gate(CANNOT, "no tests ran", "gate_ran_no_test", None), None),
        (gate(FAIL, NO_MODULE, None, 0), "base_gate_unprepared"),
        (gate(FAIL, NO_MODULE, None, 7), None),
        (gate(FAIL, WOULD_WRITE, None, None), None),
        (gate(FAIL, "AssertionError", None, None), None),
        (gate(PASS, NO_MODULE, None, None), None),
    ],
)
async def test_a_gate_that_will_never_run_is_refused_with_its_cure(
    result: GateResult, slug: str | None
) -> None:
    place = base(**{"requirements.txt": "pytest\nflask\n"})
    if slug is None:
        await refuse_hopeless(place, result)
        return
    with pytest.raises(PmError, match="E906") as refused:
        await refuse_hopeless(place, result)
    assert refused.value.slug == slug


@pytest.mark.parametrize(
    ("missing", "by_settings", "slug"),
    [
        (NO_PYTEST, False, "base_gate_unbuilt"),
        (NO_TOOL, True, "base_gate_unbuilt"),
        (NO_TOOL, False, "base_gate_lacks_program"),
        ("", True, "base_gate_unusable"),
    ],
)
async def test_what_was_never_installed_has_one_cure(
    missing: str, slug: str, *, by_settings: bool
) -> None:
    unbuilt = SetupRecipe(commands=("pip",), files={}, variables={}, by_settings=by_settings)
    place = base(**{"requirements.txt": "pytest\n"})
    with pytest.raises(PmError, match="E906") as refused:
        await refuse_hopeless(place, gate(CANNOT, missing, MISSING, None), unbuilt)
    assert refused.value.slug == slug
