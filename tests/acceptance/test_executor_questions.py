"""What an executor asks: answered by a preference, or put to a person as one question."""

import json
import os
from pathlib import Path
from typing import Any

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

ASKED: dict[str, Any] = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "I need to know the license.",
    "session_id": "conv-1",
    "permission_denials": [
        {
            "tool_name": "AskUserQuestion",
            "tool_input": {"questions": [{"question": "Which license shall it have?"}]},
        }
    ],
}
DONE = {"type": "result", "subtype": "success", "is_error": False, "result": "Done."}


def claude(tmp_path: Path) -> dict[str, str]:
    """A `claude` that asks first, and writes the file once it is told in the conversation."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "claude"
    script.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        f"*'--resume conv-1'*) echo \"$2\" > LICENSE.md; echo '{json.dumps(DONE)}' ;;\n"
        f"*) echo '{json.dumps(ASKED)}' ;;\n"
        "esac\n",
        encoding="utf-8",
    )
    script.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def the_log(project: Path) -> dict[str, Any]:
    (log,) = (project / ".pm-orchestrator" / "session" / "logs").glob("task-*.json")
    return json.loads(log.read_text(encoding="utf-8"))


def test_a_question_is_incomplete_and_its_answer_goes_on(
    program: Program, project: Path, tmp_path: Path
) -> None:
    """AC-2: incomplete with the question, never blocked; the answer reaches the conversation."""
    env = claude(tmp_path)
    place = ("--project", str(project))
    ran = program("run", "Create LICENSE.md", "--solo", *place, env=env)
    assert ran.code == 2, ran.out + ran.err
    assert "Which license shall it have?" in ran.err
    log = the_log(project)
    assert (log["status"], log["runner_decision"]) == ("incomplete", "clarify")
    assert "executor_blocked" not in log
    ran = program("reply", log["task_id"], "MIT", *place, env=env)
    assert ran.code == 0, ran.out + ran.err
    assert "MIT" in (project / "LICENSE.md").read_text(encoding="utf-8")
    assert the_log(project)["status"] == "complete"


def test_a_stored_preference_answers(program: Program, project: Path, tmp_path: Path) -> None:
    """INV-2: answered without a person, and on record."""
    env = claude(tmp_path)
    settings = project / ".claude" / "settings.json"
    document = json.loads(settings.read_text(encoding="utf-8"))
    document.setdefault("executor", {})["preferences"] = {"license": "Apache-2.0"}
    settings.write_text(json.dumps(document), encoding="utf-8")
    ran = program("run", "Create LICENSE.md", "--solo", "--project", str(project), env=env)
    assert ran.code == 0, ran.out + ran.err
    assert (project / "LICENSE.md").read_text(encoding="utf-8") == "Apache-2.0\n"
    events = the_log(project)["events"]
    (settled,) = (e["content"] for e in events if e["event_type"] == "RUNNER_CLARIFICATION")
    assert (settled["answer"], settled["answered_by"]) == ("Apache-2.0", "preference")


def test_work_is_judged_although_a_call_was_denied(
    program: Program, project: Path, tmp_path: Path
) -> None:
    """What is there decides; only where nothing came of it a person is asked about the calls."""
    denied = {"tool_name": "Bash", "tool_input": {"command": "make release"}}
    end = json.dumps(DONE | {"permission_denials": [denied]})
    place = ("--project", str(project))
    for body, key in (("echo a > a.md", "files_missing"), ("true", None)):
        env = ClaudeScript(tmp_path / "bin").does(body, ends_with=end)
        (project / "a.md").unlink(missing_ok=True)
        ran = program("run", "Create a.md and b.md", "--solo", "--json", *place, env=env)
        assert ran.code == 2, ran.out + ran.err
        if key is None:
            assert "make release" in ran.json["result"]["clarification_question"]
        else:
            assert ran.json["reason"]["key"] == key
