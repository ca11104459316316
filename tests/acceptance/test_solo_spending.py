"""What a coding CLI with an account of its own has used counts, as far as it says."""

import json
from pathlib import Path
from typing import Any

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

USED = {"input_tokens": 300, "output_tokens": 50, "cache_read_input_tokens": 150}
END = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "Done.",
    "num_turns": 2,
    "total_cost_usd": 0.25,
    "usage": USED,
    "session_id": "0f0e0d0c-0000-4000-8000-000000000000",
}


def cap_days(project: Path, **caps: float) -> None:
    settings = project / ".claude" / "settings.json"
    content: dict[str, Any] = json.loads(settings.read_text(encoding="utf-8"))
    content["budgets"] = caps
    settings.write_text(json.dumps(content), encoding="utf-8")


def test_what_it_says_counts_for_the_day_and_is_shown(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-20, E-26: its own usage events, its own flags for caps, and the cap of the day."""
    cap_days(project, usd_per_day=0.2)
    where = ["--project", str(project)]
    body = "echo \"$@\" > said.txt; echo 'x = 1' > work.py"
    caps = ["--budget-usd", "0.5", "--max-turns", "7"]
    env = claude.does(body, ends_with=json.dumps(END))
    ran = program("run", "Create work.py", "--solo", *caps, *where, env=env)
    assert ran.code == 0, ran.out + ran.err
    said = (project / "said.txt").read_text("utf-8")
    assert "--max-budget-usd 0.5" in said
    assert "--max-turns 7" in said

    (run,) = json.loads(program("runs", "--json", *where).out)
    assert (run["spent"]["tokens"], run["spent"]["cost_usd"]) == (500, 0.25)
    assert "500 tokens $0.2500" in program("runs", *where).out
    shown = json.loads(program("status", "run_001", "--json", *where).out)
    assert (shown["spent"]["cached_tokens"], shown["spent"]["turns"]) == (150, 2)
    assert "spent: 500 tokens, $0.2500" in program("status", "run_001", *where).out

    again = program("run", "Create more.py", "--solo", *where, env=claude.does("touch more.py"))
    assert again.code == 2, again.out + again.err
    assert "ERROR E206" in again.err
    assert "$0.2500 of the $0.2000" in again.err
    assert not (project / "more.py").exists()
