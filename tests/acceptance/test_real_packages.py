"""Real packages with their own tests, changed by a company and judged offline in sandboxes."""

import os
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.data.real_packages import PACKAGES, RealPackage
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.real_claude import CLI
from pm_orchestrator.testing.scripted.scripted_company import Part, ScriptedCompany

PATIENCE_S = 150.0

pytestmark = [pytest.mark.long, pytest.mark.timeout(280), pytest.mark.unmeasured]


@pytest.fixture(params=PACKAGES, ids=[package.name for package in PACKAGES])
def package(request: pytest.FixtureRequest) -> RealPackage:
    return request.param


@pytest.fixture
def real(
    package: RealPackage, environment: dict[str, str], tmp_path: Path, company: ScriptedCompany
) -> CompanyBench:
    """The package as it was published, with what its tests need."""
    program, root = Program(tmp_path, environment, PATIENCE_S), tmp_path / "project"
    package.prepare(root)
    # Some come with settings of Claude Code.
    assert program("init", "--adopt", "--project", str(root)).code == 0
    package.settle(root)
    return CompanyBench(program, root, company)


def test_a_change_is_proved_offline_whoever_makes_it_and_a_break_is_seen(
    real: CompanyBench, package: RealPackage
) -> None:
    with_claude = {"PATH": f"{CLI}{os.pathsep}{os.environ['PATH']}"}
    ends: list[tuple[str, str]] = []
    cases: tuple[tuple[str, Part], ...] = (
        ("claude-code", package.honest),
        ("tool-loop", package.honest),
        ("claude-code", package.spoilt),
    )
    for executor, part in cases:
        real.company.plans(part)
        ran = real.run(package.instruction, "--executor", executor, env=with_claude)
        ends.append((ran.json["status"], _tree(real)))
        for name in real.branches:
            real.repository.git("update-ref", "-d", name)
    assert [status for status, _ in ends] == ["COMPLETE", "COMPLETE", "INCOMPLETE"]
    assert ends[0] == ends[1]


def _tree(bench: CompanyBench) -> str:
    """Of the worker's branch: the same id, the same content."""
    (commit,) = {at for name, at in bench.branches.items() if not name.endswith("-integration")}
    return bench.tree(commit)
