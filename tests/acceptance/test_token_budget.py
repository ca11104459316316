"""A budget of tokens ends the executor when it is used up, not when it is done."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

BUDGET = 1000


def message(number: int, tokens: int, blocks: int = 1) -> str:
    """The events of one message; every block of it repeats the usage of the whole."""
    event = {
        "type": "assistant",
        "message": {
            "id": f"msg_{number}",
            "content": [{"type": "text", "text": "Working."}],
            "usage": {"input_tokens": tokens - 10, "output_tokens": 10, "service_tier": "x"},
        },
    }
    return "\n".join([f"echo '{json.dumps(event)}'"] * blocks)


@pytest.fixture
def limited(project: Path) -> Path:
    settings = project / ".claude" / "settings.json"
    content = json.loads(settings.read_text(encoding="utf-8"))
    content["budgets"] = {"tokens": BUDGET}
    settings.write_text(json.dumps(content), encoding="utf-8")
    return project


def session_of(project: Path) -> dict[str, Any]:
    (state,) = (project / ".claude" / "logs" / "sessions").glob("*/session_state.json")
    found: dict[str, Any] = json.loads(state.read_text(encoding="utf-8"))
    return found


def test_it_is_stopped_as_soon_as_the_budget_is_used_up(
    program: Program, limited: Path, claude: ClaudeScript, tmp_path: Path
) -> None:
    """R-20: a budget ends the work at once."""
    body = (
        f"echo $$ > {tmp_path}/pid; echo 'x = 1' > work.py\n"
        f"{message(1, 600, blocks=3)}\n{message(2, 401)}\nsleep 60; echo late > late.py"
    )
    began = time.monotonic()
    where = ["--project", str(limited)]
    ran = program("run", "Create work.py", "--solo", *where, env=claude.does(body))
    assert ran.code == 2, ran.out + ran.err
    assert "tokens 1001 > 1000" in ran.out
    assert time.monotonic() - began < 20
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text(encoding='utf-8').strip()}").exists()
    assert (limited / "work.py").exists()  # what was done is kept
    session = session_of(limited)
    (violation,) = session["limit_violations"]
    assert (violation["limit_type"], violation["actual_value"]) == ("tokens", 1001)
    # Nothing goes on by itself.
    again = program("continue", session["session_id"], *where, env=claude.does("true"))
    assert (again.code, "E207" in again.err) == (1, True)


def test_just_within_the_budget_is_fine(
    program: Program, limited: Path, claude: ClaudeScript
) -> None:
    body = f"{message(1, 600, blocks=3)}\n{message(2, 400)}\nsleep 0.7; echo 'x = 1' > work.py"
    where = ["--project", str(limited)]
    ran = program("run", "Create work.py", "--solo", *where, env=claude.does(body))
    assert ran.code == 0, ran.out + ran.err
    assert session_of(limited)["limit_violations"] == []
