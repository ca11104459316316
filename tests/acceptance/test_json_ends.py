"""`--json` of every end: one shape, whatever a task came to or kept it from beginning."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.cli.command_end import CommandEnd
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.testing.data.json_schema import SchemaCheck
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
SCHEMAS: dict[str, Any] = json.loads((REFERENCE / "json-schemas.json").read_text("utf-8"))
CHECK = SchemaCheck(SCHEMAS["$defs"])
SHAPE = SCHEMAS["$defs"]["CommandEnd"]
TASK = "Create an empty a.md"
STUCK = "printf '? Select one'; sleep 60"
WORKS = "echo $$ > ../working; while [ ! -e ../go ]; do sleep 0.05; done; touch a.md"


def end_in(out: str) -> dict[str, Any]:
    """The one document there is, of the one shape there is."""
    document: dict[str, Any] = json.loads(out)
    assert CHECK.problems(document, SHAPE) == []
    begun = document["task_id"] is not None
    assert all((document[name] is not None) == begun for name in ("session_id", "run_id"))
    assert (document["error"] is None) == (document["ended"] in {"judged", "interrupted"})
    assert (document["result"] is not None) >= (document["ended"] in {"asked", "failed"})
    return document


def told(document: Mapping[str, Any]) -> tuple[str, str, int]:
    return document["ended"], document["status"], document["exit_code"]


def test_everything_of_a_result_is_in_it() -> None:
    shared = set(RunResult.__struct_fields__)
    assert shared <= set(CommandEnd.__struct_fields__)
    assert set(CommandEnd.__struct_fields__) - shared == {"ended", "exit_code", "error"}


def test_all_commands_about_tasks_end_in_this_shape() -> None:
    names = {name for name, schema in SCHEMAS["commands"].items() if schema == {"$ref": REF}}
    first = {name.split()[0] for name in names}
    assert first == {"accept", "cancel", "continue", "demo", "reply", "resume", "run"}


REF = "#/$defs/CommandEnd"


def test_each_way_to_end_is_on_the_page() -> None:
    page = (REFERENCE / "json.md").read_text("utf-8")
    ways: list[str] = SHAPE["properties"]["ended"]["enum"]
    assert len(ways) == 6
    for way in ways:
        assert f"\n| `{way}` |" in page


@pytest.mark.parametrize(
    ("instruction", "body", "wanted"),
    [
        (TASK, "touch a.md", ("judged", "COMPLETE", 0)),
        (TASK, "true", ("judged", "INCOMPLETE", 2)),
        (TASK, "touch a.md; rm -r .claude/raw", ("judged", "NO_EVIDENCE", 2)),
        ("delete everything in the repository", "true", ("asked", "INCOMPLETE", 2)),
        (TASK, "exit 7", ("failed", "ERROR", 1)),
        (TASK, STUCK, ("failed", "ERROR", 1)),
        (TASK, "echo '{}' > .claude/settings.json", ("failed", "INVALID", 1)),
    ],
    ids=["complete", "incomplete", "no evidence", "asked", "error", "blocked", "invalid"],
)
def test_a_task_that_began(
    program: Program,
    project: Path,
    claude: ClaudeScript,
    instruction: str,
    body: str,
    wanted: tuple[str, str, int],
) -> None:
    ran = program(
        *("run", "--solo", instruction, "--json", "--project", str(project)), env=claude.does(body)
    )
    end = end_in(ran.out)
    assert told(end) == wanted, ran.err
    assert ran.code == end["exit_code"]
    assert end["result"]["status"] == end["status"]
    assert end["result"]["clarification_needed"] is (end["ended"] == "asked")
    if end["error"] is not None:
        assert f"ERROR {end['error']['code']}: {end['error']['what']}" in ran.err
        assert f"HINT: {end['error']['hint']}" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("run", "--solo"), "E210"),
        (("run", "--solo", "--nonsense", TASK), "E210"),
        (("run", "--max-files", "many", TASK), "E210"),
        (("run", "--solo", TASK, "--project", "/no/such/place"), "E102"),
        (("run", TASK, "--project", "{project}"), "E211"),
        (("reply", "task-1", "yes", "--project", "{project}"), "E210"),
        (("continue", "session-1", "--project", "{project}"), "E210"),
        (("resume", "run_009", "--project", "{project}"), "E210"),
        (("cancel", "task-1", "--project", "{project}"), "E210"),
        (("accept", "task-1", "--project", "{project}"), "E210"),
        (("undo", "task-1", "--project", "{project}"), "E210"),
        (("diff", "--project", "{project}"), "E210"),
        (("watch", "--project", "{project}"), "E210"),
        (("status", "--project", "{project}"), "E210"),
        (("validate", "--project", "/no/such/place"), "E102"),
    ],
)
def test_what_never_began(
    program: Program, project: Path, arguments: tuple[str, ...], code: str
) -> None:
    words = [word.format(project=project) for word in arguments]
    ran = program(*words, "--json")
    end = end_in(ran.out)
    assert told(end) == ("refused", "ERROR", 1)
    assert (ran.code, end["error"]["code"], end["task_id"]) == (1, code, None)
    assert ran.err.startswith(f"ERROR {code}: {end['error']['what']}\n")
    assert program(*words).out == ""


def test_it_is_told_in_the_language_that_was_asked_for(program: Program, tmp_path: Path) -> None:
    ran = program("run", "--solo", TASK, "--json", "--lang", "ja", "--project", str(tmp_path / "x"))
    assert "存在しません" in end_in(ran.out)["error"]["what"]


class Working:
    """A task of another process, at work until it is let go."""

    def __init__(self, environment: dict[str, str], project: Path) -> None:
        arguments = ["run", "--solo", TASK, "--json", "--project", str(project)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pm_orchestrator", *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            # Whoever runs the tests in the background ignores Ctrl-C, and we would after them.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        deadline = time.monotonic() + 20
        while not (project.parent / "working").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def ends(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=20)
        return self.process.returncode, out


@pytest.fixture
def working(environment: dict[str, str], project: Path, claude: ClaudeScript) -> Working:
    return Working({**environment, **claude.does(WORKS)}, project)


def test_ctrl_c(working: Working) -> None:
    working.process.send_signal(signal.SIGINT)
    code, out = working.ends()
    end = end_in(out)
    assert (told(end), code) == (("interrupted", "INCOMPLETE", 2), 2)
    assert end["task_id"] is not None


def test_cancel_and_somebody_else_at_work(
    program: Program, project: Path, working: Working
) -> None:
    at = ("--project", str(project))
    other = end_in(program("run", "--solo", TASK, "--json", *at).out)
    assert (told(other), other["error"]["code"]) == (("refused", "ERROR", 1), "E402")
    (run,) = program("runs", "--json", *at).json
    cancelled = program("cancel", run["task_id"], "--json", *at)
    end = end_in(cancelled.out)
    assert (told(end), cancelled.code) == (("interrupted", "INCOMPLETE", 0), 0)
    _, out = working.ends()
    assert told(end_in(out)) == ("interrupted", "INCOMPLETE", 2)


def test_a_crash_and_what_follows(
    program: Program, project: Path, claude: ClaudeScript, working: Working
) -> None:
    at = ("--project", str(project))
    os.kill(working.process.pid, signal.SIGKILL)
    assert working.ends() == (-signal.SIGKILL, "")
    (run,) = program("runs", "--json", *at).json
    assert run["status"] == "ERROR"
    env, session = claude.does("touch a.md"), run["session_id"]
    not_yet = end_in(program("continue", session, "--json", *at, env=env).out)
    assert (told(not_yet), not_yet["error"]["code"]) == (("refused", "ERROR", 1), "E207")
    assert program("approve", session, *at).code == 0
    end = end_in(program("continue", session, "--json", *at, env=env).out)
    assert told(end) == ("judged", "COMPLETE", 0)
    assert (end["task_id"], end["session_id"]) == (run["task_id"], session)
