"""A coding CLI as a company's worker: the real Claude Code in a sandbox, behind the gateway."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE
from pm_orchestrator.testing.benches.company_bench import CompanyBench, still_there, wait_until
from pm_orchestrator.testing.data.secrets import kept_text
from pm_orchestrator.testing.programs.traces import living, unique_sleep
from pm_orchestrator.testing.scripted.real_claude import CLI
from pm_orchestrator.testing.scripted.scripted_company import KEY, Part, allow_one_attempt

AS_CLI = ("--executor", "claude-code")
SPOIL = "printf 'def add(a, b):\\n    return 7\\n' > calc/core.py"
LOOKS_AROUND = "env; cat /proc/*/environ | tr '\\0' '\\n'; curl -m 2 http://192.0.2.1/ 2>&1"

pytestmark = [pytest.mark.timeout(120), pytest.mark.unmeasured]


@pytest.fixture
def with_claude() -> dict[str, str]:
    """An environment in which the CLI is found as a user has it."""
    return {"PATH": f"{CLI}{os.pathsep}{os.environ['PATH']}"}


def transcript(bench: CompanyBench, attempt: int = 1) -> str:
    place = bench.run_folders()[-1] / f"workers/01/{attempt}/conversation.json"
    return place.read_text("utf-8")


def delivered(bench: CompanyBench) -> str:
    """The tree of the run's own branch."""
    (at,) = [at for name, at in bench.branches.items() if name.endswith("-integration")]
    return bench.tree(at)


def test_it_works_behind_the_gateway_and_on_record(
    bench: CompanyBench, with_claude: dict[str, str]
) -> None:
    looking = (*DOUBLE.turns_of_its_body(), (("run_command", {"command": LOOKS_AROUND}),))
    bench.company.plans(DOUBLE.doing(looking))
    ran = bench.run(ONE, *AS_CLI, env=with_claude)
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err
    said = transcript(bench)
    events = [json.loads(line) for line in _stdout(said) if line.startswith("{")]
    assert {event["type"] for event in events} >= {"system", "assistant", "user", "result"}
    assert json.loads(said)["total_tokens"] > 0
    assert len(_evidence(bench, "model_exchange", "worker/01/1")) >= 4
    told = [e["detail"] for e in bench.events() if e["kind"] == "worker"]
    assert any(detail.get("text", "").startswith("Bash ") for detail in told)
    assert DOUBLE.says in [detail.get("text") for detail in told]

    # Nothing of the user's was in there: no key, no network, no login.
    assert "ANTHROPIC_BASE_URL=http://127.0.0.1:4180" in said
    assert "couldn't connect" in said.lower()
    assert f"HOME={Path.home()}" not in said
    for path in (bench.root / ".pm-orchestrator").rglob("*"):
        assert not path.is_file() or KEY not in kept_text(path).decode("utf-8", "replace")


@pytest.mark.long
def test_the_same_script_ends_in_the_tree_and_verdict_of_the_tool_loop(
    bench: CompanyBench, with_claude: dict[str, str]
) -> None:
    ends: list[tuple[int, str, str]] = []
    for options in (AS_CLI, ("--executor", "tool-loop")):
        bench.company.plans(DOUBLE)
        ran = bench.run(ONE, *options, env=with_claude)
        ends.append((ran.code, ran.json["status"], delivered(bench)))
        bench.repository.git("update-ref", "--stdin", stdin=_without_agents(bench))
    assert ends[0] == ends[1]
    assert ends[0][:2] == (0, "COMPLETE")


@pytest.mark.long
def test_what_it_breaks_is_incomplete_and_what_it_left_is_kept(
    bench: CompanyBench, with_claude: dict[str, str]
) -> None:
    allow_one_attempt(bench.root)
    bench.company.plans(Part(body=f"{DOUBLE.body}{SPOIL}"))
    ran = bench.run(ONE, *AS_CLI, env=with_claude)
    assert (ran.code, ran.json["status"]) == (2, "INCOMPLETE"), ran.out + ran.err
    bench.company.plans(Part(body=DOUBLE.body, commits=False))
    ran = bench.run(ONE, *AS_CLI, env=with_claude)
    assert (ran.code, ran.json["status"]) == (2, "INCOMPLETE"), ran.out + ran.err
    assert bench.kept(DOUBLE.files[0])


@pytest.mark.long
def test_a_second_attempt_is_told_and_goes_on(
    bench: CompanyBench, with_claude: dict[str, str]
) -> None:
    bench.company.plans(
        Part(body=f"{DOUBLE.body}{SPOIL}", corrected="git checkout HEAD~1 -- calc/core.py")
    )
    ran = bench.run(ONE, *AS_CLI, env=with_claude)
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err


@pytest.mark.long
def test_its_turns_are_limited(bench: CompanyBench, with_claude: dict[str, str]) -> None:
    allow_one_attempt(bench.root)
    settings = bench.root / ".claude/settings.json"
    text = settings.read_text("utf-8").replace('"max_turns": 30', '"max_turns": 2')
    settings.write_text(text, "utf-8")
    endless = (("run_command", {"command": "true"}),)
    bench.company.plans(Part(turns=(*DOUBLE.turns_of_its_body()[:1], *(endless,) * 9)))
    ran = bench.run(ONE, *AS_CLI, env=with_claude)
    assert (ran.code, ran.json["status"]) == (2, "INCOMPLETE"), ran.out + ran.err
    assert bench.company.asked("worker") <= 3
    assert bench.kept(DOUBLE.files[0])


@pytest.mark.long
def test_ctrl_c_ends_it_and_whatever_it_started(
    bench: CompanyBench, with_claude: dict[str, str]
) -> None:
    mark = unique_sleep()
    waiting = (("run_command", {"command": f"{DOUBLE.body}setsid sleep {mark} & sleep {mark}"}),)
    bench.company.plans(Part(turns=(waiting,)))
    with bench.started("run", ONE, *AS_CLI, env=with_claude) as running:
        wait_until(lambda: bool(living(mark)))
        started = running.descendants()
        running.send(signal.SIGINT)
        assert running.ends() == 2, running.out + running.err
    assert still_there(started) == []
    assert living(mark) == []
    assert bench.kept(DOUBLE.files[0])
    assert f"sleep {mark}" in transcript(bench)

    bench.company.plans(DOUBLE)
    ran = bench("resume", "run_001", "--json", env=with_claude)
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err


@pytest.mark.long
def test_an_outage_of_its_model_is_no_claim(
    bench: CompanyBench, with_claude: dict[str, str]
) -> None:
    bench.company.plans(DOUBLE)
    bench.company.fails("status", status=400, after_turn=2)
    ran = bench("run", ONE, *AS_CLI, env=with_claude)
    assert ran.code != 0
    assert "E602" in ran.err, ran.out + ran.err
    assert not [e for e in bench.events() if e["kind"] == "examined"]
    bench.company.heals()
    ran = bench("resume", "run_001", "--json", env=with_claude)
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err


def test_a_missing_cli_is_said_before_the_first_token(bench: CompanyBench, home: Path) -> None:
    path = {"PATH": _without_claude(os.environ["PATH"])}
    settings = bench.root / ".claude/settings.json"
    text = settings.read_text("utf-8")
    assert '"executor": "tool-loop"' in text
    settings.write_text(text.replace('"tool-loop"', '"claude-code"'), "utf-8")
    ran = bench("run", ONE, env=path)
    assert ran.code == 1, ran.out + ran.err
    assert "E503" in ran.err
    assert "@anthropic-ai/claude-code" in ran.err
    assert bench.company.asked() == 0


def _without_claude(path: str) -> str:
    return os.pathsep.join(f for f in path.split(os.pathsep) if not Path(f, "claude").exists())


def _stdout(said: str) -> list[str]:
    (message,) = json.loads(said)["messages"]
    return message["text"].partition("--- stderr")[0].splitlines()


def _evidence(bench: CompanyBench, kind: str, executor: str) -> list[dict[str, Any]]:
    records = (json.loads(p.read_text("utf-8")) for p in _records(bench))
    return [r for r in records if (r["operation_type"], r.get("executor_id")) == (kind, executor)]


def _records(bench: CompanyBench) -> list[Path]:
    return sorted((bench.root / ".claude/evidence").rglob("ev-*.json"))


def _without_agents(bench: CompanyBench) -> bytes:
    return "".join(f"delete {name}\n" for name in bench.branches).encode()
