"""Checks that were asked for by name: which command each is, and whether its run is the proof.

Nothing but the Runner's own run counts, and only a pass is a pass: "run the tests" with
tests that fail has been carried out, but a caller who goes by the verdict must not take
a red project for a green one.
"""

from collections.abc import Iterator

from pm_orchestrator.domain.judging.gate import Gate, GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import Facts
from pm_orchestrator.domain.setup.settings import GateSettings
from pm_orchestrator.gates.detect.base_tree import ReadBase
from pm_orchestrator.gates.detect.makefile import makefile_targets
from pm_orchestrator.gates.detect.node_gates import package_scripts
from pm_orchestrator.gates.judge.acceptable import Objection, names


async def detect_build(read: ReadBase, configured: GateSettings) -> tuple[Gate, ...]:
    """The project's build, as it stands before the task; empty where none is known."""
    if configured.build is not None:
        argv = configured.build
        return (Gate(kind="build", argv=argv, source="settings"),) if argv else ()
    makefile = await makefile_targets(read)
    if makefile is not None and "build" in makefile[1]:
        return (Gate(kind="build", argv=("make", "build"), source=makefile[0]),)
    if "build" in await package_scripts(read):
        return (Gate(kind="build", argv=("npm", "run", "build"), source="package.json"),)
    for name, argv in (("Cargo.toml", ("cargo", "build")), ("go.mod", ("go", "build", "./..."))):
        if await read(name) is not None:
            return (Gate(kind="build", argv=argv, source=name),)
    return ()


def asked_results(facts: Facts) -> Iterator[tuple[str, GateResult | None]]:
    """Each check that was asked for, with what it said; None where there is no such check."""
    ran = facts.gates.results if facts.gates is not None else ()
    for kind in facts.asked_gates:
        of_kind = (r for r in ran if r.kind == kind and r.verdict is not GateVerdict.ABSENT)
        yield kind, next(of_kind, None)


def asked_objections(facts: Facts) -> Iterator[Objection]:
    """Why the checks that were asked for do not prove the task."""
    for kind, result in asked_results(facts):
        if result is None:
            yield "asked_gate_absent", {"gate": kind}
        elif result.verdict is GateVerdict.FAIL:
            from pm_orchestrator.gates.compare.failures import failures_in

            failed = failures_in(result.output).names
            yield (
                "asked_gate_failed",
                {
                    "gate": kind,
                    "run": _run(result),
                    "failures": names(failed) if failed else "-",
                },
            )
        elif result.verdict is not GateVerdict.PASS:
            yield result.reason_key or "gate_could_not_run", {"gate": kind}


def asked_runs(facts: Facts) -> str:
    """The runs that prove the task, for its reason."""
    return "; ".join(_run(result) for _, result in asked_results(facts) if result is not None)


def run_page(report: GateReport, asked: tuple[str, ...]) -> str:
    """What was run and what came of it, as the answer of a task that asked for no more."""
    shown = (r for r in report.results if r.kind in asked and r.verdict is not GateVerdict.ABSENT)
    return "\n\n".join(f"$ {_run(r)}: {r.verdict}\n{r.output}".rstrip() for r in shown)


def _run(result: GateResult) -> str:
    import shlex

    code = "-" if result.exit_code is None else str(result.exit_code)
    counted = "" if result.tests is None else f", tests {result.tests}"
    return f"{shlex.join(result.command)} (exit code {code}{counted})"
