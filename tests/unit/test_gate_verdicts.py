"""What the output of real tools means: pass, fail, or nothing at all."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.gate import Gate, GateKind, GateVerdict
from pm_orchestrator.gates.judge.counted_tests import ran_no_test
from pm_orchestrator.gates.judge.executor_output import speculation
from pm_orchestrator.gates.judge.gate_run import readable, run_gate
from pm_orchestrator.gates.judge.verdicts import judge
from pm_orchestrator.ports.process import CommandResult

PASS, FAIL, NOTHING = GateVerdict.PASS, GateVerdict.FAIL, GateVerdict.COULD_NOT_RUN


def verdict(argv: str, code: int | None, output: str, kind: GateKind = "test") -> tuple[str, str]:
    gate = Gate(kind=kind, argv=tuple(argv.split()), source="test")
    result = CommandResult(exit_code=code, stdout=output.encode(), stderr=b"")
    found = judge(gate, result, output)
    return found.verdict, found.reason_key or ""


@pytest.mark.parametrize(
    ("argv", "code", "output", "expected"),
    [
        ("make test", 0, "Ran 3 tests in 0.1s\n\nOK\n", (PASS, "")),
        ("make test", 0, "", (PASS, "")),
        ("make test", 2, "make: *** [Makefile:2: test] Error 1\n", (FAIL, "")),
        ("make test", 2, "Makefile:1: *** missing separator.  Stop.\n", (FAIL, "")),
        ("./check", 1, "", (FAIL, "")),
        ("./check", -11, "Segmentation fault\n", (FAIL, "")),
        ("./check", 127, "sh: ./check: not found\n", (NOTHING, "gate_program_missing")),
        ("./check", 126, "Permission denied\n", (NOTHING, "gate_program_missing")),
        (
            "make test",
            2,
            "sh: 1: pytest: not found\nmake: *** [Makefile:2: test] Error 127\n",
            (NOTHING, "gate_program_missing"),
        ),
        # A test that says so about something else is a failed test.
        ("make test", 2, "Error 127\nmake: *** [Makefile:2: test] Error 1\n", (FAIL, "")),
        ("make test", 2, "make[1]: *** [Makefile:2: x] Error 127\n", (FAIL, "")),
        (
            "make test",
            2,
            "make: *** No rule to make target 'test'.  Stop.\n",
            (NOTHING, "gate_target_missing"),
        ),
        (
            "make test",
            2,
            "make: *** No rule to make target 'data.csv', needed by 'test'.  Stop.\n",
            (FAIL, ""),
        ),
        (
            "make test",
            2,
            "make: *** No targets specified and no makefile found.  Stop.\n",
            (NOTHING, "gate_target_missing"),
        ),
        ("make test", 0, "make: 'test' is up to date.\n", (NOTHING, "gate_did_nothing")),
        ("make test", 0, "make: Nothing to be done for 'test'.\n", (NOTHING, "gate_did_nothing")),
        ("make test", 0, "make[1]: Nothing to be done for 'all'.\nok\n", (PASS, "")),
        (
            "python3 -m pytest",
            1,
            "/usr/bin/python3: No module named pytest\n",
            (NOTHING, "gate_program_missing"),
        ),
        ("python3 -m pytest", 1, "E   ModuleNotFoundError: No module named 'app'\n", (FAIL, "")),
        (
            "make test",
            2,
            "python3 -m pytest -q tests\n/usr/bin/python3: No module named pytest\n"
            "make: *** [Makefile:2: test] Error 1\n",
            (NOTHING, "gate_program_missing"),
        ),
        (
            "npm run test",
            1,
            "> python3 -m pytest\n/usr/bin/python3: No module named pytest\n",
            (NOTHING, "gate_program_missing"),
        ),
        (
            "make test",
            2,
            "E   ModuleNotFoundError: No module named 'app'\n1 error in 0.10s\n"
            "make: *** [Makefile:2: test] Error 1\n",
            (FAIL, ""),
        ),
        (
            "make test",
            2,
            "1 failed, 3 passed in 0.10s\n/usr/bin/python3: No module named app\n"
            "make: *** [Makefile:2: test] Error 1\n",
            (FAIL, ""),
        ),
        ("npm run test", 1, 'npm ERR! Missing script: "test"\n', (NOTHING, "gate_target_missing")),
        ("npm run test", 1, "npm ERR! Test failed.\n", (FAIL, "")),
        (
            "cargo clippy",
            101,
            "error: no such command: `clippy`\n",
            (NOTHING, "gate_program_missing"),
        ),
        ("cargo test", 101, "test result: FAILED. 1 passed; 1 failed;\n", (FAIL, "")),
        ("python3 -m pytest", 5, "no tests ran in 0.01s\n", (NOTHING, "gate_ran_no_test")),
        (
            "make test",
            2,
            "= no tests ran in 0.01s =\nmake: *** [Makefile:2: test] Error 5\n",
            (NOTHING, "gate_ran_no_test"),
        ),
        # Collection broke: the tests are there, and they are broken.
        ("python3 -m pytest", 2, "collected 0 items / 1 error\n1 error in 0.1s\n", (FAIL, "")),
        ("./check", None, "", (NOTHING, "gate_timed_out")),
    ],
)
def test_verdicts(argv: str, code: int | None, output: str, expected: tuple[str, str]) -> None:
    assert verdict(argv, code, output) == expected


def test_a_gate_that_starved_has_not_failed() -> None:
    gate = Gate(kind="test", argv=("make", "test"), source="Makefile")
    starved = CommandResult(exit_code=2, stdout=b"", stderr=b"", out_of_memory=True)
    assert judge(gate, starved, "make: *** [test] Killed") == (NOTHING, "gate_out_of_memory")


def test_a_lint_gate_runs_no_tests_and_need_not() -> None:
    assert verdict("make lint", 0, "collected 0 items\n", "lint") == (PASS, "")


@pytest.mark.parametrize(
    ("output", "empty"),
    [
        ("Ran 0 tests in 0.000s\n\nOK\n", True),
        ("Ran 5 tests in 0.000s\n\nOK\n", False),
        ("Ran 2 tests in 0.000s\n\nOK (skipped=2)\n", True),
        ("Ran 2 tests in 0.000s\n\nOK (skipped=1)\n", False),
        ("Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", True),
        ("Ran 0 tests in 0.0s\nOK\nRan 4 tests in 0.1s\nOK\n", False),
        ("collected 0 items\n\n=== no tests ran in 0.01s ===\n", True),
        ("collected 3 items\n\n=== 3 passed in 0.01s ===\n", False),
        ("3 passed in 0.01s\n", False),
        ("=== 1 skipped, 3 passed in 0.01s ===\n", False),
        ("=== 3 skipped in 0.01s ===\n", True),
        ("=== 3 deselected in 0.01s ===\n", True),
        ("=== 3 skipped, 1 warning in 0.01s ===\n", True),
        ("0 passed\n", True),
        ("test result: ok. 0 passed; 0 failed; 0 ignored;\n", True),
        ("test result: ok. 0 passed; 0 failed;\ntest result: ok. 2 passed; 0 failed;\n", False),
        ("?   \tx/a\t[no test files]\n", True),
        ("ok  \tx/a\t0.003s [no tests to run]\n", True),
        ("?   \tx/a\t[no test files]\nok  \tx/b\t0.003s\n", False),
        ("ok  \tx/b\t(cached)\n", False),
        ("No tests found, exiting with code 0\n", True),
        ("Tests:       0 total\n", True),
        ("Tests:       1 skipped, 3 passed, 4 total\n", False),
        ("\n  0 passing (1ms)\n", True),
        ("\n  7 passing (1ms)\n", False),
        ("# tests 0\n# pass 0\n", True),
        ("# tests 2\n# pass 2\n", False),
        ("all good\n", False),
        ("", False),
    ],
)
def test_empty_green(output: str, empty: bool) -> None:
    assert ran_no_test(output) is empty


@pytest.mark.parametrize(
    "unit", ["\n", " ", "=", ", ", "1 ", "ok ", "it should ", "はず完了", "`", "\x1b]"]
)
def test_a_flood_of_output_is_read_in_no_time(unit: str) -> None:
    flood = unit * (400_000 // len(unit))
    started = time.perf_counter()
    ran_no_test(readable(flood.encode(), b""))
    speculation(flood)
    assert time.perf_counter() - started < 3


def real_make(folder: Path, makefile: str, target: str) -> CommandResult:
    (folder / "Makefile").write_text(makefile, "utf-8")
    done = subprocess.run(
        [shutil.which("make") or "make", target],
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=30,
        env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
    )
    return CommandResult(exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr)


@pytest.mark.parametrize(
    ("makefile", "expected"),
    [
        ("test:\n\t@true\n", (PASS, None)),
        ("test:\n\t@false\n", (FAIL, None)),
        ("test:\n\tno-such-program-here\n", (NOTHING, "gate_program_missing")),
        ("other:\n\ttrue\n", (NOTHING, "gate_target_missing")),
        (".PHONY: test\n", (NOTHING, "gate_did_nothing")),
        ("test: absent.csv\n\ttrue\n", (FAIL, None)),
        ("test:\n\tpython3 -m unittest discover -s .\n", (NOTHING, "gate_ran_no_test")),
    ],
)
async def test_what_make_really_says(
    tmp_path: Path, makefile: str, expected: tuple[GateVerdict, str | None]
) -> None:
    gate = Gate(kind="test", argv=("make", "test"), source="Makefile")

    async def run(gate: Gate) -> CommandResult:
        return real_make(tmp_path, makefile, gate.argv[1])

    result = (await run_gate(gate, run)).result
    assert (result.verdict, result.reason_key) == expected


async def test_a_directory_named_like_the_target_is_no_pass(tmp_path: Path) -> None:
    (tmp_path / "test").mkdir()
    gate = Gate(kind="test", argv=("make", "test"), source="Makefile")

    async def run(gate: Gate) -> CommandResult:
        return real_make(tmp_path, "test:\n\tpytest\n", gate.argv[1])

    assert (await run_gate(gate, run)).result.verdict is NOTHING


async def test_an_error_that_is_not_the_places_is_not_swallowed() -> None:
    gate = Gate(kind="lint", argv=("make", "lint"), source="Makefile")

    async def run(gate: Gate) -> CommandResult:
        raise PmError("evidence_not_collected", path="x", reason=gate.kind)

    with pytest.raises(PmError, match="E301"):
        await run_gate(gate, run)


async def test_output_is_plain_and_both_streams_are_in_it() -> None:
    gate = Gate(kind="lint", argv=("make", "lint"), source="Makefile")

    async def run(gate: Gate) -> CommandResult:
        return CommandResult(
            exit_code=1,
            stdout=b"\x1b[31mred\x1b[0m\r\nno end",
            stderr=b"\xff bad\x00\x07\n\x1b]0;title\x07rest",
            duration_ms=12,
        )

    result = (await run_gate(gate, run)).result
    assert result.output == "red\nno end\n\ufffd bad\nrest"
    assert (result.exit_code, result.duration_ms) == (1, 12)
