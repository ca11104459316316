"""A run ends at its cap: nothing is asked beyond it, what was made is kept, and it goes on."""

import json
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, TRIPLE, TWO
from pm_orchestrator.testing.benches.company_bench import CompanyBench

pytestmark = pytest.mark.timeout(150)


def lines(project: Path) -> list[dict[str, Any]]:
    """What the spend book of the project holds."""
    folder = project / ".pm-orchestrator/runtime/state/spending"
    text = "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.jsonl")))
    return [json.loads(line) for line in text.splitlines() if line]


def test_a_cap_ends_the_run_and_more_of_it_goes_on(bench: CompanyBench) -> None:
    """E-26, R-20: exit 2, the spend named, nothing asked after it, also side by side."""
    bench.company.plans(DOUBLE, TRIPLE)
    before = bench.worktree()
    ran = bench("run", TWO, "--workers", "3", "--budget-tokens", "3000", "--json")
    assert ran.code == 2, ran.out + ran.err
    assert "ERROR E206" in ran.err
    assert "3,000 tokens" in ran.err
    assert "resume run_001 --budget-tokens" in ran.err.partition("HINT")[2]
    assert (ran.json["ended"], ran.json["status"]) == ("capped", "INCOMPLETE")
    asked = bench.company.asked()
    spent = [line for line in lines(bench.root) if line["kind"] == "spent"]
    # Whoever asked was answered and counted, and whoever was refused never asked.
    assert len(spent) == asked > 0
    assert ran.json["spent"]["turns"] == asked
    assert ran.json["spent"]["tokens"] == 120 * asked

    again = bench("resume", "run_001", "--json")
    assert again.code == 2, again.out + again.err
    # What was spent before counts: there was room for little more.
    assert again.json["spent"]["tokens"] == 120 * bench.company.asked() <= 3000

    done = bench("resume", "run_001", "--budget-tokens", "10000000", "--json")
    assert done.code == 0, done.out + done.err
    assert bench.worktree() == before
    assert done.json["spent"]["tokens"] == 120 * bench.company.asked()
