"""What one run of a gate proves.

A gate that could not run has neither failed nor passed, so the two are told
apart only where the tools say so plainly; any other exit code is a failure. And
an exit code of 0 proves nothing when the output says that nothing was run.
"""

import re
from typing import NamedTuple

from pm_orchestrator.domain.judging.gate import Gate, GateResult, GateVerdict
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.judge.counted_tests import ran_no_test, tests_run
from pm_orchestrator.gates.judge.runner_reports import RunnerReport
from pm_orchestrator.ports.process import CommandResult

# What a shell answers when it cannot run a program: not executable, not found.
NOT_RUNNABLE = frozenset({126, 127})
NO_TESTS_EXIT = 5
"""Of pytest and of unittest since Python 3.12."""

# make says `make:` only at the top; the makes it calls say `make[1]:`.
MAKE_RECIPE = LatePattern(r"^make: \*\*\* \[.*\] Error (\d+)$", re.MULTILINE)
MAKE_NO_FILE = LatePattern(
    r"^make: \*\*\* No targets specified and no makefile found", re.MULTILINE
)
MAKE_NOTHING = LatePattern(r"^make: (?:Nothing to be done for|\S+ is up to date\.$)", re.MULTILINE)
RUNS_A_RECIPE = frozenset({"make", "npm", "pnpm", "yarn", "bun", "just"})
PYTHON_MISSING = LatePattern(r"^\S*python[\d.]*: No module named ([\w.]+)$", re.MULTILINE)
NPM_MISSING = LatePattern(r"^npm (?:ERR!|error) [Mm]issing script:", re.MULTILINE)
CARGO_MISSING = LatePattern(r"^error: no such (?:command|subcommand): ", re.MULTILINE)


class Judgement(NamedTuple):
    """A verdict, and why where it is not plain."""

    verdict: GateVerdict
    reason_key: str | None = None


def judge(
    gate: Gate, result: CommandResult, output: str, report: RunnerReport | None = None
) -> Judgement:
    """The verdict on a gate that was started and has ended.

    A test that its runner reports as failed is a failure, and a run that its runner did
    not see to the end proves nothing, whatever the exit code.
    """
    if result.timed_out or result.exit_code is None or result.out_of_memory:
        limit = "gate_out_of_memory" if result.out_of_memory else "gate_timed_out"
        return Judgement(GateVerdict.COULD_NOT_RUN, limit)
    code = _inner_code(gate, result.exit_code, output)
    reason = _proves_nothing(gate, code, output)
    if reason is not None:
        return Judgement(GateVerdict.COULD_NOT_RUN, reason)
    if code != 0 or (report is not None and report.failed):
        return Judgement(GateVerdict.FAIL)
    if report is not None and not report.whole:
        return Judgement(GateVerdict.COULD_NOT_RUN, "gate_ended_early")
    if report is not None and not report.executed and not tests_run(output):
        return Judgement(GateVerdict.COULD_NOT_RUN, "gate_ran_no_test")
    return Judgement(GateVerdict.PASS)


def stopped_by_make(gate: Gate, result: GateResult) -> bool:
    """Whether make itself gave up, before or without a recipe that failed."""
    return gate.argv[0] == "make" and not MAKE_RECIPE.search(result.output)


def _proves_nothing(gate: Gate, code: int, output: str) -> str | None:
    """Why this run says nothing about the tree, if it does not."""
    if code in NOT_RUNNABLE or _tool_missing(gate, code, output):
        return "gate_program_missing"
    if _target_missing(gate, code, output):
        return "gate_target_missing"
    if gate.kind == "test" and code in {0, NO_TESTS_EXIT} and ran_no_test(output):
        return "gate_ran_no_test"
    if code == 0 and gate.argv[0] == "make" and MAKE_NOTHING.search(output):
        return "gate_did_nothing"
    return None


def _inner_code(gate: Gate, code: int, output: str) -> int:
    """The exit code of the recipe, where make only says 2 for every failure."""
    failed = MAKE_RECIPE.findall(output) if gate.argv[0] == "make" and code != 0 else []
    return int(failed[-1]) if failed else code


def _tool_missing(gate: Gate, code: int, output: str) -> bool:
    if code == 0:
        return False
    missing = PYTHON_MISSING.findall(output)
    if gate.argv[0].startswith("python") and gate.argv[1:2] == ("-m",):
        return gate.argv[2] in missing
    if gate.argv[0] in RUNS_A_RECIPE and missing and not tests_run(output):
        # Python says it of what it was to run, and of nothing that was imported there.
        return True
    return gate.argv[0] == "cargo" and CARGO_MISSING.search(output) is not None


def _target_missing(gate: Gate, code: int, output: str) -> bool:
    if code == 0:
        return False
    if gate.argv[0] == "make":
        # "…, needed by" names a file the rule wants: that is the tree's own fault.
        target = re.escape(gate.argv[-1])
        no_rule = rf"^make: \*\*\* No rule to make target [`'‘]{target}['’]\.\s+Stop\.$"
        return MAKE_NO_FILE.search(output) is not None or bool(re.search(no_rule, output, re.M))
    return gate.argv[0] == "npm" and NPM_MISSING.search(output) is not None
