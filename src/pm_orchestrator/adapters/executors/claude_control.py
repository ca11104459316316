"""Claude Code's control protocol: it asks on stdout, line by line, and is answered on stdin."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.executors.claude_events import (
    NAME_LIMIT,
    QUESTION_TOOL,
    WRITING_TOOLS,
    subject_of,
)
from pm_orchestrator.adapters.executors.cli_story import CliRequest, CliTalk
from pm_orchestrator.domain.company.asking import OpenChoice, Option, Permit, Wish
from pm_orchestrator.domain.text import cut_between_words

FLAGS = ("--input-format", "stream-json", "--permission-prompt-tool", "stdio")
PREVIEWED = 40
"""Lines of a change that are shown."""
TEXT_LIMIT = 2_000
UNANSWERED = "The person did not answer this question."
UNATTENDED = "Nobody is there to permit this."
DECLINED = "The person declined this."


class ClaudeTalk(CliTalk):
    """Talks to one run of `claude -p`."""

    @override
    def opening(self, instruction: str) -> bytes:
        said = {"role": "user", "content": [{"type": "text", "text": instruction}]}
        return _line({"type": "user", "message": said})

    @override
    def asked(self, event: Mapping[str, Any]) -> CliRequest | None:
        request, name = _object(event.get("request")), event.get("request_id")
        if event.get("type") != "control_request" or request.get("subtype") != "can_use_tool":
            return None
        if not isinstance(name, str) or len(name) > NAME_LIMIT:
            return None
        given, tool = _object(request.get("input")), str(request.get("tool_name", "tool"))
        if tool == QUESTION_TOOL and (choices := tuple(_choices(given))):
            return CliRequest(name=name, about=choices, given=given)
        return CliRequest(name=name, about=_wish(tool[:NAME_LIMIT], given, request), given=given)

    @override
    def withdrawn(self, event: Mapping[str, Any]) -> str | None:
        name = event.get("request_id")
        gone = event.get("type") == "control_cancel_request"
        return name if gone and isinstance(name, str) else None

    @override
    def permit(self, request: CliRequest, permit: Permit) -> bytes:
        if permit.decision == "nobody":
            return _answer(request, {"behavior": "deny", "message": UNATTENDED})
        if permit.decision == "no":
            message = f"{DECLINED} {permit.words}".rstrip()
            return _answer(request, {"behavior": "deny", "message": message})
        allowed: dict[str, Any] = {"behavior": "allow", "updatedInput": request.given}
        wish = request.about
        if permit.decision == "always" and isinstance(wish, Wish) and wish.rules:
            # For this run of it; later ones are told by the settings.
            rules = [_parts(rule) for rule in wish.rules]
            update = {"type": "addRules", "behavior": "allow", "destination": "session"}
            allowed["updatedPermissions"] = [{**update, "rules": rules}]
        return _answer(request, allowed)

    @override
    def choose(self, request: CliRequest, answers: Mapping[str, str]) -> bytes:
        if not answers:
            return _answer(request, {"behavior": "deny", "message": UNANSWERED})
        given = {**request.given, "answers": dict(answers)}
        return _answer(request, {"behavior": "allow", "updatedInput": given})


def _wish(tool: str, given: Mapping[str, Any], request: Mapping[str, Any]) -> Wish:
    return Wish(
        tool=tool,
        subject=subject_of(given),
        preview=tuple(_preview(tool, given)),
        why=_text(request.get("decision_reason")),
        rules=tuple(_rules(tool, given, request)),
    )


def _preview(tool: str, given: Mapping[str, Any]) -> Iterator[str]:
    """What a writing tool would take away and put there; of a command, all its lines."""
    command = given.get("command")
    if isinstance(command, str) and "\n" in command.strip():
        yield from command.strip().split("\n")[:PREVIEWED]
    if tool not in WRITING_TOOLS:
        return
    edits = given.get("edits")
    parts = cast("list[Any]", edits) if isinstance(edits, list) else [given]
    lines: list[str] = []
    for part in map(_object, parts):
        lines += _marked("-", part.get("old_string"))
        new = (part.get(key) for key in ("new_string", "content", "new_source"))
        lines += _marked("+", next((text for text in new if isinstance(text, str)), ""))
    yield from lines[:PREVIEWED]
    if len(lines) > PREVIEWED:
        yield "…"


def _marked(mark: str, text: object) -> list[str]:
    return [f"{mark}{line}" for line in text.splitlines()] if isinstance(text, str) else []


def _rules(tool: str, given: Mapping[str, Any], request: Mapping[str, Any]) -> Iterator[str]:
    """The rules that it suggests itself; for a file elsewhere, the one that names this file."""
    suggested = request.get("permission_suggestions")
    found = False
    for each in map(_object, cast("list[Any]", suggested) if isinstance(suggested, list) else ()):
        if each.get("type") != "addRules" or each.get("behavior") != "allow":
            continue
        rules = each.get("rules")
        for rule in map(_object, cast("list[Any]", rules) if isinstance(rules, list) else ()):
            name, content = rule.get("toolName"), rule.get("ruleContent")
            if isinstance(name, str):
                found = True
                yield f"{name}({content})" if isinstance(content, str) and content else name
    path = given.get("file_path", given.get("notebook_path"))
    if not found and tool in WRITING_TOOLS and isinstance(path, str) and path.startswith("/"):
        yield f"Edit(/{path})"


def _parts(rule: str) -> dict[str, str]:
    """A rule as the protocol has it: the tool, and what is in the brackets behind it."""
    name, bracket, content = rule.partition("(")
    return {"toolName": name, "ruleContent": content[:-1]} if bracket else {"toolName": name}


def _choices(given: Mapping[str, Any]) -> Iterator[OpenChoice]:
    questions = given.get("questions")
    for each in map(_object, cast("list[Any]", questions) if isinstance(questions, list) else ()):
        if not (question := _text(each.get("question"))):
            continue
        options = each.get("options")
        listed = map(_object, cast("list[Any]", options) if isinstance(options, list) else ())
        yield OpenChoice(
            question=question,
            options=tuple(
                Option(label=label, description=_text(option.get("description")))
                for option in listed
                if (label := _text(option.get("label")))
            ),
            several=each.get("multiSelect") is True,
        )


def _answer(request: CliRequest, response: Mapping[str, Any]) -> bytes:
    inner = {"subtype": "success", "request_id": request.name, "response": response}
    return _line({"type": "control_response", "response": inner})


def _line(message: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def _text(value: object) -> str:
    return cut_between_words(value, TEXT_LIMIT).strip() if isinstance(value, str) else ""


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
