"""What a company is asked without being asked to change anything."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.runner.instructions.gate_requests import gate_request
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.sample_site import Site, open_site
from pm_orchestrator.testing.scripted.demo_replies import Block, call

pytestmark = pytest.mark.timeout(120)
QUESTION = "What does toolbox/greeting.py do?"


@pytest.fixture
async def site(tmp_path: Path) -> Site:
    return await open_site(tmp_path)


def answers(*turns: Sequence[Block]) -> dict[str, list[list[Block]]]:
    return {"worker/01/1": [list(turn) for turn in turns]}


async def test_an_answer_is_stored_and_nothing_else(site: Site) -> None:
    look = call("read_file", path="toolbox/greeting.py")
    scribble = call("run_command", command="echo x > toolbox/x.py && git add -A")
    said = call("task_complete", summary="It greets whoever is named.")
    result = await site.run(answers([look, scribble], [said]), QUESTION)
    assert result.status is TaskStatus.COMPLETE, result.reason.say()
    assert (result.branch, result.changes) == (None, ())
    assert result.answer is not None
    kept = site.app.files.read(Path(result.answer))
    assert kept.decode().strip() == "It greets whoever is named."


async def test_who_answers_gets_no_tool_that_writes(site: Site) -> None:
    write = call("write_file", path="toolbox/x.py", content="x = 1\n")
    said = call("task_complete", summary="It greets.")
    result = await site.run(answers([write], [said]), QUESTION)
    assert result.status is TaskStatus.COMPLETE
    transcript = site.app.paths.runs / "run_001" / "workers" / "01" / "1" / "conversation.json"
    assert b"no tool write_file" in site.app.files.read(transcript)


@pytest.mark.parametrize("red", [False, True])
async def test_the_runner_runs_the_tests_itself(site: Site, *, red: bool) -> None:
    assert gate_request("Run the tests") is not None
    if red:
        project = GitProject.at(site.root)
        project.write("tests/test_red.py", "import no_such_module\n")
        project.commit("Red")
    result = await site.run({}, "Run the tests")
    assert result.status is (TaskStatus.INCOMPLETE if red else TaskStatus.COMPLETE)
    assert result.work[0].conversation_turns == 0
    assert result.gates is not None
    assert result.gates.verdict("test") == ("fail" if red else "pass")
