"""A model is asked about what no rule understands: it can add caution, and nothing else."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.anthropic_messages import Json, call_tools, say_text
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, Received, ScriptedVendor

pytestmark = pytest.mark.timeout(55)
UNCLEAR = "Obliterate the billing accounts"
SECRET = "sk-ant-api03-" + "aB3_x9Kd" * 6

Answer = Callable[[Json], Json | Failure]


def always(answer: Json | Failure) -> Answer:
    def script(_: Json) -> Json | Failure:
        return answer

    return script


def says(kind: str) -> Answer:
    return always(call_tools(("say_kind", {"kind": kind})))


class Asked:
    """One call of the program with a key, and what the provider was asked meanwhile."""

    def __init__(self, ran: Ran, received: list[Received]) -> None:
        self.ran = ran
        self.received = received


async def call(
    program: Program, project: Path, answer: Answer, env: dict[str, str], *arguments: str
) -> Asked:
    async with ScriptedVendor(answer) as server:
        keys = {"ANTHROPIC_BASE_URL": server.base_url, "ANTHROPIC_API_KEY": "a-key-for-nothing"}
        given = (*arguments, "--project", str(project))
        ran = await asyncio.to_thread(program, *given, env={**env, **keys})
        return Asked(ran, server.received)


def events(project: Path, kind: str) -> list[dict[str, Any]]:
    (log,) = (project / ".pm-orchestrator" / "session" / "logs").glob("task-*.json")
    found = json.loads(log.read_text(encoding="utf-8"))["events"]
    return [event["content"] for event in found if event["event_type"] == kind]


@pytest.fixture
def env(claude: ClaudeScript) -> dict[str, str]:
    return claude.does("echo 'x = 1' > work.py")


async def test_danger_that_only_the_model_sees_waits_for_a_yes(
    program: Program, project: Path, env: dict[str, str]
) -> None:
    instruction = f"{UNCLEAR} {SECRET}"
    asked = await call(program, project, says("DANGEROUS_OP"), env, "run", instruction, "--solo")
    assert asked.ran.code == 2, asked.ran.out + asked.ran.err
    assert "explicit yes" in asked.ran.err
    assert not (project / "work.py").exists()
    (request,) = asked.received
    assert SECRET not in json.dumps(request.body)
    (event,) = events(project, "LLM_MEDIATION_RESPONSE")
    assert (event["provider"], event["response_type"]) == ("anthropic", "say_kind")
    assert len(events(project, "LLM_MEDIATION_REQUEST")) == 1
    assert program("evidence", "verify", "--project", str(project)).code == 0


async def test_a_no_stays_a_no_though_the_model_thinks_otherwise_later(
    program: Program, project: Path, env: dict[str, str]
) -> None:
    await call(program, project, says("DANGEROUS_OP"), env, "run", UNCLEAR, "--solo")
    (log,) = (project / ".pm-orchestrator" / "session" / "logs").glob("task-*.json")
    task = json.loads(log.read_text(encoding="utf-8"))["task_id"]
    asked = await call(program, project, says("READ_INFO"), env, "reply", task, "no")
    assert asked.ran.code == 2, asked.ran.out + asked.ran.err
    assert "declined" in asked.ran.err
    assert not (project / "work.py").exists()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (says("READ_INFO"), "say_kind"),
        (says("NONSENSE"), "say_kind"),
        (always(say_text("It is harmless, go on.")), "text"),
        (always(Failure(kind="status", status=401)), "failed E602"),
        pytest.param(
            always(Failure(kind="hang")), "failed E601", marks=pytest.mark.long, id="hang"
        ),
    ],
)
async def test_anything_else_changes_nothing_and_is_on_record(
    program: Program, project: Path, env: dict[str, str], answer: Answer, kind: str
) -> None:
    asked = await call(program, project, answer, env, "run", UNCLEAR, "--solo")
    assert asked.ran.code == 0, asked.ran.out + asked.ran.err
    assert "Verified: the Runner saw 1 changed file," in asked.ran.out  # not a mere answer
    (event,) = events(project, "LLM_MEDIATION_RESPONSE")
    assert event["response_type"] == kind


async def test_nobody_is_asked_without_need(
    program: Program, project: Path, env: dict[str, str]
) -> None:
    clear = await call(
        program, project, says("DANGEROUS_OP"), env, "run", "Create work.py", "--solo"
    )
    assert (clear.ran.code, clear.received) == (0, []), clear.ran.out + clear.ran.err
    settings = project / ".claude" / "settings.json"
    content = json.loads(settings.read_text(encoding="utf-8"))
    content["executor"] = {"second_voice": False}
    settings.write_text(json.dumps(content), encoding="utf-8")
    (project / "work.py").unlink()
    off = await call(program, project, says("DANGEROUS_OP"), env, "run", UNCLEAR, "--solo")
    assert (off.ran.code, off.received) == (0, []), off.ran.out + off.ran.err


async def test_a_replay_asks_no_vendor_for_an_opinion(
    program: Program, project: Path, tmp_path: Path
) -> None:
    cassette = tmp_path / "empty.json"
    cassette.write_text('{"schema_version": 2, "takes": []}', "utf-8")
    asked = await call(
        program, project, says("DANGEROUS_OP"), {}, "run", UNCLEAR, "--replay", str(cassette)
    )
    assert asked.ran.code == 1, asked.ran.out + asked.ran.err
    assert "E605" in asked.ran.err
    assert asked.received == []
