"""The scripted company answers by the request alone, and counts who asked."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from pm_orchestrator.testing.scripted.scripted_company import Part, ScriptedCompany

WORKER = [{"name": "run_command"}, {"name": "task_complete"}]
MANAGER = [{"name": "propose_plan"}]
ONE, OTHER = Part(title="The one", body="one"), Part(title="The other", body="other")


@pytest.fixture
def company() -> Iterator[ScriptedCompany]:
    with ScriptedCompany() as running:
        yield running


def ask(
    company: ScriptedCompany, prompt: str, tools: list[dict[str, str]], turns: int = 0
) -> list[dict[str, Any]]:
    said = [{"role": "assistant", "content": "…"}, {"role": "user", "content": "…"}] * turns
    body = {
        "model": "scripted",
        "messages": [{"role": "user", "content": prompt}, *said],
        "tools": tools,
    }
    address = company.environment["ANTHROPIC_BASE_URL"] + "/v1/messages"
    request = urllib.request.Request(address, json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=10) as answer:
        content: list[dict[str, Any]] = json.loads(answer.read())["content"]
    return content


def tool(content: list[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    (call,) = content
    return call["name"], call["input"]


def test_a_worker_goes_through_its_turns(company: ScriptedCompany) -> None:
    company.plans(ONE, OTHER)
    prompt = "# The other\n\nnot The one"
    assert tool(ask(company, prompt, WORKER)) == ("run_command", {"command": "other"})
    assert tool(ask(company, prompt, WORKER, 1))[0] == "git_commit"
    for turn in (2, 3, 9):
        assert tool(ask(company, prompt, WORKER, turn))[0] == "task_complete"
    assert company.asked("worker", "The other") == company.asked() == 5
    assert company.asked("worker", "The one") == 0


def test_a_refused_worker_may_do_better(company: ScriptedCompany) -> None:
    company.does("bad", corrected="good")
    assert tool(ask(company, "Do it", WORKER))[1] == {"command": "bad"}
    assert tool(ask(company, "Do it. It was refused.", WORKER))[1] == {"command": "good"}


def test_the_manager_proposes_every_part(company: ScriptedCompany) -> None:
    company.plans(ONE, OTHER)
    name, plan = tool(ask(company, "Instruction: do both\n\nFiles: a, b", MANAGER))
    assert name == "propose_plan"
    assert [part["title"] for part in plan["sub_tasks"]] == ["The one", "The other"]
    assert all("do both" in part["description"] for part in plan["sub_tasks"])
    assert (company.asked("manager"), company.asked("worker")) == (1, 0)


def test_who_has_no_tools_gets_words(company: ScriptedCompany) -> None:
    company.does("true", says="It adds.")
    assert ask(company, "What is it?", []) == [{"type": "text", "text": "It adds."}]
    assert company.asked("other") == 1


def test_an_outage_strikes_where_and_as_often_as_it_is_told(company: ScriptedCompany) -> None:
    company.plans(ONE, OTHER)
    company.fails("status", status=429, after_turn=1, title="The one", times=1)
    ask(company, "# The one", WORKER)
    ask(company, "# The other", WORKER, 1)
    with pytest.raises(urllib.error.HTTPError) as failure:
        ask(company, "# The one", WORKER, 1)
    with failure.value as answer:
        assert answer.code == 429
    ask(company, "# The one", WORKER, 1)
    company.fails("status", after_turn=0)
    company.heals()
    ask(company, "# The one", WORKER)
    assert company.asked("worker", "The one") == 4
    company.wait_for("The one", turn=1)
