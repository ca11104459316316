"""A model of a vendor as solo's executor, from outside: heard, held in, judged like any other."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.testing.benches.calc_parts import calc_project
from pm_orchestrator.testing.benches.company_bench import CompanyBench, still_there, wait_until
from pm_orchestrator.testing.data.secrets import kept_text
from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.anthropic_messages import Json, call_tools, say_text
from pm_orchestrator.testing.scripted.real_claude import Heard, RealClaude
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_company import KEY, Call, Part, ScriptedCompany

NOBODY = {"OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": "", "ANTHROPIC_BASE_URL": ""}
MODEL = "gpt-4o-mini"
Turns = tuple[tuple[Call, ...], ...]


def writes(path: str, content: str = "# Text\n") -> tuple[Call, ...]:
    return (("write_file", {"path": path, "content": content}),)


def runs(command: str) -> tuple[Call, ...]:
    return (("run_command", {"command": command}),)


def done(summary: str) -> tuple[Call, ...]:
    return (("task_complete", {"summary": summary, "files": []}),)


def asks(question: str) -> tuple[Call, ...]:
    return (("ask_user", {"question": question, "options": ["red", "blue"]}),)


class SoloModel:
    """The program in one project, with a scripted vendor behind it."""

    def __init__(self, program: Program, root: Path, name: str, vendor: ScriptedCompany) -> None:
        self._program = program
        self.root, self.name, self.vendor = root, name, vendor

    def will(self, *turns: tuple[Call, ...], says: str = "Done.") -> dict[str, str]:
        """What the model does, turn by turn; then it says that it is finished."""
        return {**NOBODY, **self.vendor.plans(Part(turns=turns, says=says))}

    def __call__(self, *arguments: str, **env: str) -> Ran:
        given = {**NOBODY, **self.vendor.environment, **env}
        return self._program(*arguments, "--project", str(self.root), env=given)

    def run(self, instruction: str, *options: str, **env: str) -> Ran:
        how = ("--solo", "--adapter", self.name, "--model", MODEL)
        return self("run", instruction, *how, *options, **env)

    def repl(self, *lines: str, **env: str) -> Ran:
        given = {**NOBODY, **self.vendor.environment, **env}
        arguments = ("repl", "--non-interactive", "--project", str(self.root))
        return self._program(*arguments, stdin="\n".join(lines) + "\n", env=given)

    def last_task(self) -> str:
        found = (self.root / ".claude/logs/sessions").glob("*/tasks/task-*.json")
        return max(json.loads(log.read_text("utf-8"))["task_id"] for log in found)


def evidence(root: Path, kind: str) -> list[dict[str, Any]]:
    found = (root / ".claude").rglob("ev-*.json")
    records = [json.loads(path.read_text("utf-8")) for path in found]
    return [record for record in records if record["operation_type"] == kind]


OTHERS = [name for name in MODELS.names if name not in {"openai", "anthropic"}]


@pytest.fixture(params=["openai", pytest.param("anthropic", marks=pytest.mark.long)])
def model(request: pytest.FixtureRequest, program: Program, project: Path) -> Iterator[SoloModel]:
    with ScriptedCompany(request.param) as vendor:
        yield SoloModel(program, project, request.param, vendor)


@pytest.fixture
def one(program: Program, project: Path) -> Iterator[SoloModel]:
    """Where it is all the same which vendor it is."""
    with ScriptedCompany("openai") as vendor:
        yield SoloModel(program, project, "openai", vendor)


def test_work_of_a_model_is_heard_recorded_and_complete(model: SoloModel) -> None:
    """R-23: its words and tools stream by, its last words are its claim, and it is priced."""
    model.will(writes("README.md"), says="I wrote it.")
    ran = model.run("Create README.md")
    assert ran.code == 0, ran.out + ran.err
    assert "› write_file README.md" in ran.out
    assert "[RESULT]  COMPLETE" in ran.out
    assert "│ I wrote it." in ran.out
    assert "240 tokens, $" in ran.out
    exchanges = evidence(model.root, "model_exchange")
    assert [record["executor_id"] for record in exchanges] == ["solo", "solo"]
    assert model("evidence", "verify").code == 0
    kept = (path for path in model.root.parent.rglob("*") if path.is_file())
    assert [path for path in kept if KEY.encode() in kept_text(path)] == []


@pytest.mark.long
@pytest.mark.parametrize("name", OTHERS)
def test_any_registered_model_api_works(program: Program, project: Path, name: str) -> None:
    """The executor knows the port and no vendor: a new one is no edit here."""
    with ScriptedCompany(name) as vendor:
        model = SoloModel(program, project, name, vendor)
        model.will(runs("echo '# Readme' > README.md"))
        ran = model.run("Create README.md")
        assert ran.code == 0, ran.out + ran.err
        assert "240 tokens" in ran.out


def test_a_provider_of_the_repl_works_and_goes_on_in_its_conversation(model: SoloModel) -> None:
    """R-23: a line goes on in what was said before, until `/new`."""
    model.will(writes("ONE.md"), done("First."), writes("TWO.md"), done("Second."))
    ran = model.repl(
        f"/provider {model.name}",
        "/model gpt-4o-mini",
        "/start",
        "Create ONE.md",
        "Create TWO.md",
        "/new",
        "Update ONE.md",
    )
    assert ran.code == 2, ran.out + ran.err
    assert ran.out.count("[RESULT]  COMPLETE") == 2
    # Had it still known the conversation, it would have had nothing more to do.
    assert (model.root / "TWO.md").exists()
    seen = [asked["messages"] for asked in model.vendor.requests]
    said = json.dumps(seen[3])
    assert "Create ONE.md" in said
    assert "Create TWO.md" in said
    assert "Create ONE.md" not in json.dumps(seen[-1])


def test_work_that_breaks_the_tests_is_incomplete(model: SoloModel) -> None:
    calc_project(model.root)
    model.will(runs("sed -i s/+/-/ calc/core.py"), says="All tests pass.")
    ran = model.run("Update calc/core.py")
    assert ran.code == 2, ran.out + ran.err
    assert "[RESULT]  INCOMPLETE" in ran.out
    assert "test" in ran.out
    assert "All tests pass." in ran.out


def test_a_question_waits_for_its_answer_and_the_work_goes_on(model: SoloModel) -> None:
    """The answer reaches the same model, which was named for the task, in its conversation."""
    model.will(asks("Which colour?"), writes("colour.txt", "blue\n"), says="It is blue.")
    ran = model.run("Create colour.txt with my favourite colour")
    assert ran.code == 2, ran.out + ran.err
    assert "Which colour?" in ran.out + ran.err
    ran = model("reply", model.last_task(), "blue")
    assert ran.code == 0, ran.out + ran.err
    assert (model.root / "colour.txt").read_text("utf-8") == "blue\n"
    assert "Which colour?" in json.dumps(model.vendor.requests[-1])


def test_commands_see_the_project_and_nothing_else(one: SoloModel, home: Path) -> None:
    """DESIGN §5: no key, no home, no network, and the user's own checkout to write to."""
    (home / "secret.txt").write_text("private\n", "utf-8")
    look = (
        f"env > seen.txt; cat {home}/secret.txt >> seen.txt; touch {home}/made; "
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9), 1)' 2>> seen.txt; "
        f"echo here > {one.root}/by-its-path.txt; true"
    )
    one.will(runs(look), says="Looked.")
    ran = one.run("Create seen.txt and by-its-path.txt")
    assert ran.code == 0, ran.out + ran.err
    seen = (one.root / "seen.txt").read_text("utf-8")
    assert "API_KEY" not in seen
    assert "private" not in seen
    assert not (home / "made").exists()


def test_without_a_sandbox_only_allowed_commands_run(one: SoloModel, tmp_path: Path) -> None:
    """DESIGN §5: each command needs a yes or a place in `allowed_commands`."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for place in Path("/usr/bin").iterdir():
        if place.name != "bwrap":
            (programs / place.name).symlink_to(place)
    env = {"PATH": str(programs), "TERM": "dumb"}
    settings = one.root / ".claude/settings.json"
    document = json.loads(settings.read_text("utf-8"))
    document["executor"] = {"allowed_commands": ["env > seen.txt"]}
    settings.write_text(json.dumps(document), "utf-8")
    one.will(runs("touch other.txt"), runs("env > seen.txt"), says="Both done.")
    ran = one.run("Create seen.txt", **env)
    assert ran.code == 0, ran.out + ran.err
    assert not (one.root / "other.txt").exists()
    assert KEY not in (one.root / "seen.txt").read_text("utf-8")
    # Unattended, what it may not do is asked of whoever looks at the end.
    one.will(runs("echo 3 > third.txt"), done("I may not."), runs("echo 3 > third.txt"))
    ran = one.run("Create third.txt", **env)
    assert ran.code == 2, ran.out + ran.err
    assert "run_command echo 3 > third.txt" in ran.out + ran.err
    ran = one("reply", one.last_task(), "yes", **env)
    assert ran.code == 0, ran.out + ran.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--adapter", "openai"), "E211: no model"),
        (("--adapter", "opnai", "--model", "m"), "anthropic, gemini, ollama, openai"),
        (("--adapter", "gemini", "--model", "m"), "GEMINI_API_KEY"),
        (("--adapter", "anthropic", "--model", "m"), "ANTHROPIC_API_KEY"),
    ],
)
def test_what_cannot_work_is_said_before_anything_begins(
    one: SoloModel, options: tuple[str, ...], said: str
) -> None:
    ran = one("run", "--solo", "Create README.md", *options)
    assert ran.code == 1
    assert said in ran.err
    assert ran.err.count("HINT: ") == 1
    assert one.vendor.asked() == 0
    assert list((one.root / ".claude/logs").rglob("task-*.json")) == []


def test_an_outage_is_never_the_agents_claim(one: SoloModel) -> None:
    one.will(writes("README.md"), says="Done.")
    one.vendor.fails("status", status=401, after_turn=1)
    ran = one.run("Create README.md")
    assert ran.code == 1
    assert "ERROR E602: " in ran.err
    assert "[RESULT]  ERROR" in ran.out
    # What was done lies there, and is gone on with once the vendor answers again.
    one.vendor.heals()
    (session,) = (one.root / ".claude/logs/sessions").glob("session-*")
    assert one("approve", session.name).code == 0
    ran = one("continue", session.name)
    assert ran.code == 0, ran.out + ran.err
    assert "Create README.md" in json.dumps(one.vendor.requests[-1])


def test_ctrl_c_ends_it_at_once_and_its_conversation_is_kept(
    one: SoloModel, program: Program
) -> None:
    one.will(writes("README.md"), runs("echo begun > begun.txt; sleep 600"))
    bench = CompanyBench(program, one.root, one.vendor)
    how = ("--solo", "--adapter", one.name, "--model", MODEL)
    with bench.started("run", "Create README.md", *how) as run:
        wait_until(lambda: (one.root / "begun.txt").exists())
        started = run.descendants()
        run.send(signal.SIGINT)
        assert run.ends() == 2
    assert still_there(started) == []
    assert "interrupted" in run.out + run.err
    (kept,) = (one.root / ".pm-orchestrator/runtime/state/conversations").glob("*.json")
    assert "Create README.md" in kept.read_text("utf-8")


def test_models_are_those_that_the_vendor_lists(model: SoloModel) -> None:
    """R-23: where it can be asked; otherwise those of the list that comes with the program."""
    select = (f"/provider {model.name}", "/models list")
    ran = model.repl(*select)
    assert ran.code == 0, ran.err
    assert f"{model.name} did not say which models it has (E602)" in ran.out
    model.vendor.lists("brand-new-1", "gpt-4o-mini")
    ran = model.repl(*select, "/models brand-new-1", "/models gpt-2")
    assert f"These are the models that {model.name} lists for your key now." in ran.out
    assert "\n  brand-new-1" in ran.out
    assert "Model: brand-new-1" in ran.out
    assert ran.code == 1
    assert ran.err.startswith("ERROR E210: ")
    key = next(name for name in NOBODY if name.startswith(model.name.upper()))
    ran = model.repl(*select, **{key: ""})
    assert "brand-new-1 |" not in ran.out
    assert "did not say" not in ran.out


@pytest.mark.parametrize("past", [False, True])
def test_claude_code_with_a_vendor_key_asks_through_the_gateway(
    program: Program, project: Path, claude: ClaudeScript, *, past: bool
) -> None:
    """DESIGN §5: with a key the traffic is metered; a way of the user's own is left alone."""
    script = claude.does("env > seen.txt")
    more = {"ANTHROPIC_CUSTOM_HEADERS": "x-team: blue"} if past else {}
    env = {**script, **more, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    ran = program("run", "--solo", "Create seen.txt", "--project", str(project), env=env)
    assert ran.code == 0, ran.out + ran.err
    seen = (project / "seen.txt").read_text("utf-8")
    given = {line.partition("=")[0]: line.partition("=")[2] for line in seen.splitlines()}
    assert (given["ANTHROPIC_API_KEY"] == KEY) == past
    assert (given["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:9") == past


def test_what_claude_code_asks_with_a_key_is_on_record(
    program: Program, project: Path, home: Path
) -> None:
    def model(heard: Heard) -> Json:
        if heard.results:
            return say_text("Written.")
        write = {"file_path": str(project / "README.md"), "content": "# Readme\n"}
        return call_tools(("Write", write))

    with RealClaude(model) as claude:
        at = ("--project", str(project))
        env = claude.environment(home)
        ran = program("run", "--solo", "Create README.md", *at, env=env)
        assert ran.code == 0, ran.out + ran.err
    assert len(evidence(project, "model_exchange")) >= 2
    assert program("evidence", "verify", *at).code == 0


def test_a_recorded_task_is_replayed_without_key_or_network(one: SoloModel, tmp_path: Path) -> None:
    """E-26: into a cassette beside the project, or into the project when all has been judged."""
    one.will(runs("echo '# Readme' > README.md"), says="Made.")
    tape = str(one.root / "tape.json")
    ran = one.run("Create README.md", "--record", tape)
    assert ran.code == 0, ran.out + ran.err
    assert KEY.encode() not in Path(tape).read_bytes()
    Path(tape).rename(tmp_path / "tape.json")
    (one.root / "README.md").unlink()
    asked = one.vendor.asked()
    tape = str(tmp_path / "tape.json")
    ran = one.run("Create README.md", "--replay", tape, **NOBODY)
    assert ran.code == 0, ran.out + ran.err
    assert (one.root / "README.md").exists()
    assert one.vendor.asked() == asked
    ran = one.run("Create OTHER.md", "--replay", tape, **NOBODY)
    assert ran.code == 1
    assert "ERROR E605: " in ran.err
