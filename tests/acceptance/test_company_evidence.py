"""R-7, R-21: a company's verdict asks the evidence of its own run too."""

import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE
from pm_orchestrator.testing.benches.company_bench import CompanyBench

pytestmark = [pytest.mark.timeout(90), pytest.mark.unmeasured]


@pytest.mark.parametrize("harm", ["lost", pytest.param("forged", marks=pytest.mark.long)])
def test_a_run_whose_evidence_does_not_hold_has_none(bench: CompanyBench, harm: str) -> None:
    bench.company.plans(DOUBLE)
    with bench.started("run", ONE) as run:
        # No agent can reach the records; whoever has the machine can.
        bench.company.wait_for(DOUBLE.title, turn=1)
        logs = sorted((bench.root / ".claude" / "raw").glob("session-*/task-*.log"))
        assert logs
        for path in logs:
            if harm == "lost":
                path.unlink()
            else:
                path.write_bytes(path.read_bytes() + b"and more\n")
        code = run.ends()
    assert code == 2, run.out + run.err
    assert "There is no intact evidence for" in run.out + run.err
    shown = bench("status", "--json").json
    assert shown["report"]["overall_status"] == "NO_EVIDENCE"
