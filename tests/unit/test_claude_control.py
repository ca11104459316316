"""Claude Code's control protocol: what is asked, and what it is answered, byte for byte."""

import json
from typing import Any

import pytest

from pm_orchestrator.adapters.executors.claude_control import PREVIEWED, ClaudeTalk
from pm_orchestrator.adapters.executors.cli_story import CliRequest
from pm_orchestrator.domain.company.asking import OpenChoice, Option, Permit, Wish

SUGGESTED = {
    "type": "addRules",
    "behavior": "allow",
    "rules": [{"toolName": "Bash", "ruleContent": "npm run build:*"}, {"toolName": "Read"}],
}


def asks(tool: str, given: object, **more: object) -> CliRequest | None:
    request = {"subtype": "can_use_tool", "tool_name": tool, "input": given, **more}
    return ClaudeTalk().asked({"type": "control_request", "request_id": "r1", "request": request})


def wish(tool: str, given: object, **more: object) -> Wish:
    request = asks(tool, given, **more)
    assert request is not None
    assert isinstance(request.about, Wish)
    return request.about


def answer(line: bytes) -> dict[str, Any]:
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    message = json.loads(line)
    assert message["type"] == "control_response"
    assert message["response"]["subtype"] == "success"
    assert message["response"]["request_id"] == "r1"
    found: dict[str, Any] = message["response"]["response"]
    return found


def test_a_command_is_a_wish_with_the_rules_that_are_suggested() -> None:
    found = wish(
        "Bash",
        {"command": "npm run build"},
        decision_reason="needs approval",
        permission_suggestions=[SUGGESTED, "odd", {"type": "setMode"}],
    )
    assert (found.tool, found.subject, found.why) == ("Bash", "npm run build", "needs approval")
    assert found.rules == ("Bash(npm run build:*)", "Read")
    assert found.preview == ()


def test_a_change_is_shown_as_what_goes_and_what_comes() -> None:
    edited = wish("Edit", {"file_path": "/a/b.py", "old_string": "x\ny", "new_string": "z"})
    assert edited.preview == ("-x", "-y", "+z")
    assert edited.rules == ("Edit(//a/b.py)",)
    several = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]
    assert wish("MultiEdit", {"file_path": "b", "edits": several}).preview == (
        *("-a", "+b"),
        *("-c", "+d"),
    )
    long = wish("Write", {"file_path": "b", "content": "l\n" * (PREVIEWED + 1)})
    assert len(long.preview) == PREVIEWED + 1
    assert long.preview[-1] == "…"


def test_all_lines_of_a_command_are_shown() -> None:
    assert wish("Bash", {"command": "cd x\nrm -r y"}).preview == ("cd x", "rm -r y")


@pytest.mark.parametrize(
    "event",
    [
        {"type": "control_request", "request_id": "r", "request": {"subtype": "initialize"}},
        {"type": "control_request", "request_id": 7, "request": {"subtype": "can_use_tool"}},
        {"type": "control_request", "request_id": "r", "request": "odd"},
        {"type": "assistant", "request_id": "r", "request": {"subtype": "can_use_tool"}},
        {"type": "control_request", "request_id": "r" * 10_000, "request": {}},
    ],
)
def test_what_cannot_be_answered_is_no_request(event: dict[str, Any]) -> None:
    assert ClaudeTalk().asked(event) is None


def test_a_wish_is_permitted_once_always_or_not() -> None:
    talk, request = ClaudeTalk(), asks("Bash", {"command": "x"}, permission_suggestions=[SUGGESTED])
    assert request is not None
    once = answer(talk.permit(request, Permit(decision="once")))
    assert once == {"behavior": "allow", "updatedInput": {"command": "x"}}
    always = answer(talk.permit(request, Permit(decision="always")))
    (update,) = always.pop("updatedPermissions")
    assert always == once
    assert update["destination"] == "session", "what is kept is for us to write"
    assert update["rules"] == [*SUGGESTED["rules"][:1], {"toolName": "Read"}]
    no = answer(talk.permit(request, Permit(decision="no", words="use make")))
    assert (no["behavior"], no["message"].endswith("use make")) == ("deny", True)
    nobody = answer(talk.permit(request, Permit(decision="nobody")))
    assert (nobody["behavior"], "Nobody is there" in nobody["message"]) == ("deny", True)


def test_questions_come_with_their_options() -> None:
    talk = ClaudeTalk()
    options = [{"label": "MIT", "description": "short"}, {"label": ""}, "odd"]
    given = {
        "questions": [
            {"question": "Which?", "options": options, "multiSelect": True},
            {"question": " "},
            {"question": "Why?", "options": "odd"},
        ]
    }
    request = asks("AskUserQuestion", given)
    assert request is not None
    mit = Option(label="MIT", description="short")
    assert request.about == (
        OpenChoice(question="Which?", options=(mit,), several=True),
        OpenChoice(question="Why?"),
    )
    chosen = answer(talk.choose(request, {"Which?": "MIT"}))
    assert chosen["updatedInput"] == {**given, "answers": {"Which?": "MIT"}}
    assert answer(talk.choose(request, {}))["behavior"] == "deny"


def test_a_question_without_any_question_is_a_wish_like_others() -> None:
    assert wish("AskUserQuestion", {"questions": []}).tool == "AskUserQuestion"


def test_it_is_told_first_what_to_do_and_says_what_it_no_longer_waits_for() -> None:
    talk = ClaudeTalk()
    opening = json.loads(talk.opening("Do it\nnow"))
    assert opening["message"]["content"] == [{"type": "text", "text": "Do it\nnow"}]
    assert talk.withdrawn({"type": "control_cancel_request", "request_id": "r1"}) == "r1"
    assert talk.withdrawn({"type": "control_cancel_request"}) is None
    assert talk.withdrawn({"type": "result", "request_id": "r1"}) is None
