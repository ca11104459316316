"""A question with a person at the terminal: it is asked in place, and the answer goes on."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.programs.typed_terminal import Terminal
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

RM = "delete everything in the repository"


@pytest.fixture
def env(environment: dict[str, str], claude: ClaudeScript) -> dict[str, str]:
    return {**environment, **claude.does("touch called; rm -f notes.md", says="Deleted.")}


def session_of(project: Path) -> dict[str, Any]:
    (state,) = (project / ".claude" / "logs" / "sessions").glob("*/session_state.json")
    found: dict[str, Any] = json.loads(state.read_text(encoding="utf-8"))
    return found


def logs_of(project: Path) -> list[dict[str, Any]]:
    found = (project / ".claude" / "logs" / "sessions").glob("*/tasks/task-*.json")
    return [json.loads(log.read_text(encoding="utf-8")) for log in found]


def test_an_explicit_yes_starts_what_is_dangerous(
    project: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    with Terminal(tmp_path, env, "run", RM, "--solo", "--project", str(project)) as person:
        person.wait_for("Carry it out?")
        person.wait_for("> ")
        assert session_of(project)["status"] == "AWAITING_RESPONSE"
        (log,) = logs_of(project)
        assert (log["status"], log["runner_decision"]) == ("incomplete", "clarify")
        assert not (project / "called").exists()
        person.type("yes\n")
        assert person.ended() == 0, person.text
    (log,) = logs_of(project)  # the same task went on
    assert log["status"] == "complete"
    assert (project / "called").exists()
    assert session_of(project)["status"] == "READY"


@pytest.mark.parametrize(
    ("lang", "question", "waits"),
    [("en", "Carry it out?", "waits;"), ("ja", "実行しますか", "回答待ち")],
)
@pytest.mark.parametrize("typed", ["\n", "\x04"], ids=["empty", "ctrl-d"])
def test_no_answer_leaves_it_waiting_and_names_the_command(
    project: Path,
    tmp_path: Path,
    env: dict[str, str],
    lang: str,
    question: str,
    waits: str,
    typed: str,
) -> None:
    arguments = ["run", RM, "--solo", "--lang", lang, "--project", str(project)]
    with Terminal(tmp_path, env, *arguments) as person:
        person.wait_for(question)
        person.wait_for("> ")
        person.type(typed)
        assert person.ended() == 2, person.text
    (log,) = logs_of(project)
    assert waits in person.text
    # A line of 80 columns ends between words, wherever that is.
    assert f'reply {log["task_id"]} "TEXT"' in person.text.replace("\r\n", " ")
    assert session_of(project)["status"] == "UNFINISHED"
    assert not (project / "called").exists()


def test_no_is_no_and_is_not_asked_again(
    project: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    with Terminal(tmp_path, env, "run", RM, "--solo", "--project", str(project)) as person:
        person.wait_for("> ")
        person.type("no\n")
        assert person.ended() == 2, person.text
    assert "declined" in person.text
    assert not (project / "called").exists()


def test_ctrl_c_at_the_question_leaves_it_waiting(
    project: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    with Terminal(tmp_path, env, "run", RM, "--solo", "--project", str(project)) as person:
        person.wait_for("> ")
        person.interrupt(signal.SIGTERM)
        assert person.ended() == 2, person.text
    assert "Traceback" not in person.text
    assert session_of(project)["status"] == "UNFINISHED"


def test_going_on_asks_what_stands_in_its_way(
    program: Program, project: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    where = ["--project", str(project)]
    assert program("run", RM, "--solo", *where, env=env).code == 2  # a pipe: nothing waits
    session = session_of(project)["session_id"]
    unfit = program("approve", session, *where, env=env)
    assert (unfit.code, "E207" in unfit.err, "reply" in unfit.err) == (1, True, True)
    refused = program("continue", session, *where, env=env)
    assert (refused.code, "E207" in refused.err) == (1, True)
    with Terminal(tmp_path, env, "continue", session, *where) as person:
        person.wait_for("Carry it out?")
        person.type("yes\n")
        assert person.ended() == 0, person.text


def test_an_executors_question_is_asked_too(
    project: Path, tmp_path: Path, environment: dict[str, str], claude: ClaudeScript
) -> None:
    denial = {
        "tool_name": "AskUserQuestion",
        "tool_input": {"questions": [{"question": "Tabs or spaces?"}]},
    }
    asks = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "I need to know.",
        "permission_denials": [denial],
    }
    says = json.dumps({"type": "result", "subtype": "success", "result": "Done."})
    done = f"echo 'x = 1' > code.py; echo '{says}'; exit 0"
    body = f'read -r said; case "$said" in *spaces*) {done};; esac'
    env = {**environment, **claude.does(body, ends_with=json.dumps(asks))}
    with Terminal(tmp_path, env, "run", "Create code.py", "--solo", "--project", str(project)) as p:
        p.wait_for("Tabs or spaces?")
        p.wait_for("> ")
        p.type("spaces\n")
        assert p.ended() == 0, p.text
    assert (project / "code.py").exists()


PROMPTS = (
    "if [ -f asked ]; then echo '# Readme' > README.md; else touch asked; "
    "printf 'Use the short form? [Y/n] '; sleep 40; fi"
)
"""Asks at its terminal the first time, and works the second."""


def test_a_prompt_of_the_executor_is_put_to_the_person(
    project: Path, tmp_path: Path, environment: dict[str, str], claude: ClaudeScript
) -> None:
    env = {**environment, **claude.does(PROMPTS)}
    arguments = ("run", "Create README.md", "--solo", "--project", str(project))
    with Terminal(tmp_path, env, *arguments) as person:
        person.wait_for("Use the short form?")
        person.wait_for("> ")
        (log,) = logs_of(project)
        assert log["status"] == "incomplete"
        assert [e["event_type"] for e in log["events"]].count("EXECUTOR_BLOCKED") == 1
        person.type("yes, the short one\n")
        assert person.ended() == 0, person.text
    (log,) = logs_of(project)
    assert log["status"] == "complete"


@pytest.mark.long
def test_where_nobody_is_there_a_prompt_is_an_error(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    ran = program(
        *("run", "Create README.md", "--solo", "--project", str(project)),
        env=claude.does(PROMPTS),
    )
    assert ran.code == 1
    assert "ERROR E503" in ran.err
    assert "[RESULT]  ERROR" in ran.out
    (log,) = logs_of(project)
    assert (log["status"], log["blocked_reason"]) == ("error", "INTERACTIVE_PROMPT")
