"""The manager proposes; what cannot be used goes back with the reason."""

from typing import Any

import pytest
from msgspec.structs import replace

from pm_orchestrator.agents.manager import (
    MAX_PROPOSALS,
    MOST_LOOKS,
    Manager,
    Proposal,
    SplitQuestion,
)
from pm_orchestrator.agents.prompts.manager import NO_MORE_LOOKS, first_message, summarised
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    Message,
    TokenUsage,
    ToolCall,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.domain.setup.model_list import TokenRoom
from pm_orchestrator.testing.scripted.scripted_model import ScriptedModel

PART = {"title": "T", "description": "D", "acceptance_criteria": ["c"], "expected_files": ["a.py"]}
FILES = {"Makefile": b"test:\n\tpytest\n", "src/app.py": b"def add(): ...\n", "photo": b"\0"}


async def read(paths: tuple[str, ...]) -> dict[str, bytes]:
    return {path: FILES[path] for path in paths if path in FILES}


QUESTION = SplitQuestion(
    instruction="Add it", files=("Makefile",), read=read, max_files=5, model="m"
)
LOOKING = replace(QUESTION, files=tuple(FILES))


def plan(*parts: Any, name: str = "propose_plan") -> ChatReply:
    call = ToolCall(id="c1", name=name, arguments={"sub_tasks": list(parts)})
    return ChatReply(message=Message(role="assistant", tool_calls=(call,)), usage=TokenUsage())


def words(text: str) -> ChatReply:
    return ChatReply(message=Message(role="assistant", text=text), usage=TokenUsage())


def fine(_: Proposal) -> str | None:
    return None


async def test_a_usable_proposal_is_taken() -> None:
    model = ScriptedModel([plan(PART)])
    proposal = await Manager(model).propose(QUESTION, fine)
    assert [p.title for p in proposal.sub_tasks] == ["T"]
    (asked,) = model.asked
    assert "Add it" in asked.messages[0].text
    assert "<data>\nMakefile\n</data>" in asked.messages[0].text
    assert asked.tools[0].schema["properties"]["sub_tasks"]["type"] == "array"


@pytest.mark.parametrize(
    "bad", [words("I would split it."), plan({"title": "T"}), plan(PART, name="other")]
)
async def test_what_is_no_proposal_goes_back(bad: ChatReply) -> None:
    model = ScriptedModel([bad, plan(PART)])
    await Manager(model).propose(QUESTION, fine)
    correction = model.asked[1].messages[-1]
    said = correction.text or correction.tool_results[0].content
    assert "cannot use this plan" in said


async def test_the_runners_no_is_told_and_final() -> None:
    model = ScriptedModel([plan(PART)] * MAX_PROPOSALS)
    with pytest.raises(PmError, match=r"E205.*two sub-tasks") as caught:
        await Manager(model).propose(QUESTION, lambda _: "a.py is in two sub-tasks")
    assert caught.value.next_step == "stop"
    assert model.left == 0
    last = model.asked[-1].messages[-1].tool_results[0]
    assert last.is_error
    assert "two sub-tasks" in last.content


def look(name: str, **arguments: Any) -> ChatReply:
    call = ToolCall(id="look", name=name, arguments=arguments)
    return ChatReply(message=Message(role="assistant", tool_calls=(call,)), usage=TokenUsage())


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("list_directory", {}, "Makefile\nphoto\nsrc/ (1 files)"),
        ("list_directory", {"path": "src"}, "app.py"),
        ("list_directory", {"path": "none"}, "there is no directory none"),
        ("read_file", {"path": "./Makefile", "start_line": 2}, "     2\t\tpytest"),
        (
            "read_file",
            {"path": "none"},
            "there is no file none that can be shown; look with list_directory",
        ),
        ("read_file", {"path": "photo"}, "it is no text (1 bytes)"),
        ("read_file", {"file": "Makefile"}, "read_file takes path, start_line, lines"),
        ("find_text", {"text": "PYTEST", "ignore_case": True}, "Makefile:2:\tpytest"),
        ("find_text", {"text": "add(", "path": "src"}, "src/app.py:1:def add(): ..."),
        ("find_text", {"text": "add(", "path": "src/app.py"}, "src/app.py:1:def add(): ..."),
        ("find_text", {"text": "PYTEST"}, "(nothing found)"),
        ("find_text", {"text": ""}, "find_text takes text, path, ignore_case"),
    ],
)
async def test_it_looks_at_the_base_before_it_proposes(
    name: str, arguments: dict[str, Any], said: str
) -> None:
    model = ScriptedModel([look(name, **arguments), plan(PART)])
    await Manager(model).propose(LOOKING, fine)
    (result,) = model.asked[1].messages[-1].tool_results
    assert said in result.content


async def test_looking_has_an_end() -> None:
    model = ScriptedModel([look("list_directory")] * (MOST_LOOKS + 1) + [plan(PART)])
    await Manager(model).propose(LOOKING, fine)
    assert model.asked[MOST_LOOKS].messages[-1].text == NO_MORE_LOOKS
    assert "no call of propose_plan" in model.asked[-1].messages[-1].tool_results[0].content
    ids = [call.id for message in model.asked[-1].messages for call in message.tool_calls]
    assert len(set(ids)) == len(ids)
    assert len(ids) > MOST_LOOKS


async def test_its_conversation_stays_inside_the_window_of_its_model() -> None:
    long = "Long lines of a long file.\n" * 800

    async def much(paths: tuple[str, ...]) -> dict[str, bytes]:
        return dict.fromkeys(paths, long.encode())

    question = replace(QUESTION, files=("long",), read=much)
    model = ScriptedModel([look("read_file", path="long")] * MOST_LOOKS + [plan(PART)])
    room = TokenRoom(window=20_000, answer=2_000)
    await Manager(model, {"m": room}.__getitem__).propose(question, fine)
    sizes = [len(to_json(asked.messages)) for asked in model.asked]
    assert max(sizes) < 18_000 * 3
    assert len(long) * MOST_LOOKS > 18_000 * 3, "all of it would not fit"
    assert {asked.max_tokens for asked in model.asked} == {2_000}
    assert all("Add it" in asked.messages[0].text for asked in model.asked)
    roles = [message.role for message in model.asked[-1].messages]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]


async def test_what_is_found_is_bounded() -> None:
    async def much(paths: tuple[str, ...]) -> dict[str, bytes]:
        return {p: b"x\n" * 300 if p == "many" else b"x" * (2 * 1024**2) for p in paths}

    question = replace(QUESTION, files=("huge", "many"), read=much)
    model = ScriptedModel([look("find_text", text="x"), plan(PART)])
    await Manager(model).propose(question, fine)
    (result,) = model.asked[1].messages[-1].tool_results
    lines = result.content.split("\n")
    assert lines[0] == "many:1:x"
    assert lines[-1] == "[and more; narrow the text or the path]"
    assert len(lines) == 101


def test_a_large_tree_is_summarised_and_never_cut_silently() -> None:
    files = ("Makefile", *(f"src/{a}/{b}/{c}.py" for a in "ab" for b in "cd" for c in range(9)))
    assert summarised(files, 40) == list(files)
    assert summarised(files, 5) == [
        "Makefile",
        *(f"src/{a}/{b}/ (9 files)" for a in "ab" for b in "cd"),
    ]
    assert summarised(files, 3) == ["Makefile", "src/a/ (18 files)", "src/b/ (18 files)"]
    assert summarised(files, 2) == ["Makefile", "src/ (36 files)"]
    assert summarised(tuple("abcd"), 3) == ["a", "b", "c", "[1 more here]"]
    assert summarised((), 3) == []
    many = tuple(f"d{n // 100}/f{n}" for n in range(1_000))
    assert "Files of the project, 1000 in all, summarised by directory:" in first_message(
        "", many, 5
    )
