"""The tools of a model in the user's directory: what it may run, and what it may ask."""

import asyncio
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.sandboxes.host_hands import HostHands
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.agents.solo.solo_toolbox import SoloToolbox, allowed_in
from pm_orchestrator.agents.standing_limit import StandingLimit
from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.domain.company.model_conversation import ToolCall, ToolResult
from pm_orchestrator.ports.executor import ExecutorTask, Person
from pm_orchestrator.testing.memory.fake_clock import FakeClock


class Present(Person):
    """Says the same to every question."""

    def __init__(self, permit: Permit, answer: str = "") -> None:
        self._permit, self._answer = permit, answer
        self.asked: list[Wish | OpenChoice] = []

    @override
    async def permit(self, wish: Wish) -> Permit:
        self.asked.append(wish)
        return self._permit

    @override
    async def pick(self, choice: OpenChoice) -> str:
        self.asked.append(choice)
        return self._answer


def toolbox(
    root: Path, person: Person | None = None, allowed: Collection[str] | None = ()
) -> SoloToolbox:
    hands = HostHands(LocalCommands(), root, {"PATH": "/usr/bin:/bin"})
    task = ExecutorTask(task_id="t", instruction="", hands=hands, timeout_s=60, person=person)
    return SoloToolbox(task, FakeClock(), StandingLimit(60), allowed)


async def ran(box: SoloToolbox, name: str, **arguments: Any) -> ToolResult:
    return await box.call(ToolCall(id="c", name=name, arguments=arguments))


@pytest.mark.parametrize(
    ("permit", "runs", "denied"),
    [
        (None, False, ["run_command touch made"]),
        (Permit(decision="nobody"), False, ["run_command touch made"]),
        (Permit(decision="no", words="use make"), False, []),
        (Permit(decision="once"), True, []),
        (Permit(decision="always"), True, []),
    ],
)
async def test_without_a_sandbox_each_command_needs_a_word(
    tmp_path: Path, permit: Permit | None, runs: bool, denied: list[str]
) -> None:
    person = None if permit is None else Present(permit)
    box = toolbox(tmp_path, person)
    result = await ran(box, "run_command", command="touch made ")
    assert (tmp_path / "made").exists() == runs
    assert result.is_error != runs
    assert box.denied == denied
    if permit is not None and permit.words:
        assert "use make" in result.content
    if person is not None:
        wish = Wish(tool="run_command", subject="touch made", rules=("Bash(touch made)",))
        assert person.asked == [wish]


async def test_a_command_that_nobody_can_read_is_not_asked_about(tmp_path: Path) -> None:
    person = Present(Permit(decision="once"))
    box = toolbox(tmp_path, person)
    result = await ran(box, "run_command", command="touch made;" + " true;" * 500)
    assert result.is_error
    assert person.asked == []
    assert not (tmp_path / "made").exists()
    # What cannot be a rule in one line is asked about each time.
    await ran(box, "run_command", command="touch\\\n made")
    assert [wish.rules for wish in person.asked if isinstance(wish, Wish)] == [()]


async def test_allowed_and_sandboxed_commands_are_not_asked_about(tmp_path: Path) -> None:
    for allowed in (None, allowed_in(["touch made"], ()), allowed_in((), ["Bash(touch made)"])):
        result = await ran(toolbox(tmp_path, allowed=allowed), "run_command", command="touch made")
        assert not result.is_error
        (tmp_path / "made").unlink()
    unknown = allowed_in((), ["Bash(touch *)", "Bash(touch:*)", "Read", "Bash"])
    result = await ran(toolbox(tmp_path, allowed=unknown), "run_command", command="touch made")
    assert result.is_error


async def test_a_question_is_answered_or_stops_the_work(tmp_path: Path) -> None:
    person = Present(Permit(decision="no"), "blue")
    box = toolbox(tmp_path, person)
    result = await ran(box, "ask_user", question="Which?", options=["red", "blue"])
    assert (result.content, result.is_error, box.question) == ("blue", False, None)
    (asked,) = person.asked
    assert isinstance(asked, OpenChoice)
    assert [option.label for option in asked.options] == ["red", "blue"]
    for nobody in (None, Present(Permit(decision="no"))):
        box = toolbox(tmp_path, nobody)
        await ran(box, "ask_user", question="Which?")
        assert box.question == "Which?"


async def test_nothing_is_committed_by_itself(tmp_path: Path) -> None:
    names = {tool.name for tool in toolbox(tmp_path).definitions()}
    assert "git_commit" not in names
    assert {"ask_user", "run_command", "write_file", "task_complete"} <= names


async def test_a_limit_stands_still_while_a_person_is_asked() -> None:
    limit = StandingLimit(1000)
    seen: list[float | None] = []

    async def asked() -> str:
        seen.append(limit.ends)
        await asyncio.sleep(0.01)
        return "yes"

    assert await limit.standing(asked()) == "yes"
    assert limit.stood_s == 0
    async with limit:
        before = limit.ends
        assert await limit.standing(asked()) == "yes"
        assert before is not None
        assert limit.ends == before + limit.stood_s > before
    assert seen == [None, None]
    over = StandingLimit(0)
    with pytest.raises(TimeoutError):
        async with over:
            await asyncio.Event().wait()
    assert over.expired
