"""Every kind of event of `05` is in the log file of a task that gives occasion for it."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.domain.history.task_log import LogEventType
from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.anthropic_messages import call_tools
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project
from pm_orchestrator.testing.scripted.scripted_vendor import ScriptedVendor

pytestmark = pytest.mark.timeout(90)

Events = list[dict[str, Any]]
DOUBLE = "printf '\\n\\ndef double(n):\\n    return 2 * n\\n' >> calc.py"
WRITES = "echo '# Readme' > README.md"


class Scene:
    """A project, a scripted executor, and the log they leave."""

    def __init__(self, program: Program, project: Path, claude: ClaudeScript) -> None:
        self.project = project
        self._program = program
        self._claude = claude
        self.keys: dict[str, str] = {}

    def run(self, instruction: str, body: str, *more: str) -> Ran:
        env = {**self._claude.does(body), **self.keys}
        at = ("--project", str(self.project))
        return self._program("run", instruction, "--solo", *more, *at, env=env)

    def reply(self, text: str, body: str) -> Ran:
        env = self._claude.does(body)
        at = ("--project", str(self.project))
        return self._program("reply", self.log()["task_id"], text, *at, env=env)

    def log(self) -> dict[str, Any]:
        (path,) = (self.project / ".claude/logs/sessions").glob("*/tasks/task-*.json")
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found

    def state(self) -> dict[str, Any]:
        (path,) = (self.project / ".claude/logs/sessions").glob("*/session_state.json")
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found


@pytest.fixture
def scene(program: Program, project: Path, claude: ClaudeScript) -> Scene:
    return Scene(program, project, claude)


def done(scene: Scene) -> None:
    python_project(scene.project)
    test = (
        "cat > tests/test_double.py <<'PY'\nimport unittest\n\nimport calc\n\n\n"
        "class DoubleTest(unittest.TestCase):\n    def test_double(self):\n"
        "        self.assertEqual(calc.double(2), 4)\nPY"
    )
    ran = scene.run("Add a function double to calc.py", f"{DOUBLE}\n{test}")
    assert ran.code == 0, ran.out + ran.err


def not_done(scene: Scene) -> None:
    assert scene.run("Create README.md", "true").code == 2


def failed(scene: Scene) -> None:
    assert scene.run("Create README.md", "exit 3").code == 1


def stuck(scene: Scene) -> None:
    body = "read x || { echo 'EOF when reading' >&2; exit 1; }"
    assert scene.run("Create README.md", body).code == 1


def asked(scene: Scene) -> None:
    assert scene.run("create it", WRITES).code == 2
    assert scene.reply("README.md", WRITES).code == 0


def mediated(scene: Scene) -> None:
    async def play() -> Ran:
        script = call_tools(("say_kind", {"kind": "LIGHT_EDIT"}))
        async with ScriptedVendor(lambda _: script) as server:
            scene.keys = {"ANTHROPIC_BASE_URL": server.base_url, "ANTHROPIC_API_KEY": "a-key"}
            body = "echo 'x = 1' > work.py"
            return await asyncio.to_thread(scene.run, "Obliterate the billing accounts", body)

    ran = asyncio.run(play())
    assert ran.code == 0, ran.out + ran.err


KIND = LogEventType
SCENARIOS: dict[str, tuple[Callable[[Scene], None], tuple[LogEventType, ...]]] = {
    "done": (
        done,
        (
            *(KIND.USER_INPUT, KIND.TASK_STARTED, KIND.EXECUTOR_DISPATCH, KIND.EXECUTOR_OUTPUT),
            *(KIND.FILE_OPERATION, KIND.TEST_EXECUTION, KIND.TASK_COMPLETED),
        ),
    ),
    "mediated": (
        mediated,
        (KIND.LLM_MEDIATION_REQUEST, KIND.LLM_MEDIATION_RESPONSE, KIND.EXECUTOR_DISPATCH),
    ),
    "not done": (not_done, (KIND.EVIDENCE_MISSING, KIND.TASK_INCOMPLETE)),
    "failed": (failed, (KIND.EXECUTOR_OUTPUT, KIND.TASK_ERROR)),
    "stuck": (stuck, (KIND.EXECUTOR_BLOCKED, KIND.TASK_ERROR)),
    "asked": (
        asked,
        (
            *(KIND.RUNNER_CLARIFICATION, KIND.TASK_INCOMPLETE, KIND.USER_RESPONSE),
            *(KIND.TASK_STARTED, KIND.EXECUTOR_DISPATCH, KIND.TASK_COMPLETED),
        ),
    ),
}


def test_every_kind_of_event_has_a_scenario() -> None:
    shown = {kind for _, kinds in SCENARIOS.values() for kind in kinds}
    assert shown == set(LogEventType)


@pytest.mark.parametrize("name", SCENARIOS)
def test_events_are_in_the_log_at_their_moments(scene: Scene, name: str) -> None:
    """R-26 TaskLog Lifecycle Recording: what happened is in the file, in the order it happened."""
    play, wanted = SCENARIOS[name]
    play(scene)
    log = scene.log()
    kinds: Iterator[str] = iter([event["event_type"] for event in log["events"]])
    for kind in wanted:
        # `in` goes on where the kind before was found, so the order is checked too.
        assert kind in kinds, f"{kind} is not after the one before it: {log['events']}"
    times = [event["timestamp"] for event in log["events"]]
    assert times == sorted(times)
    assert log["summary"]["total_events"] == len(times)


def content(log: dict[str, Any], kind: LogEventType) -> dict[str, Any]:
    found: dict[str, Any] = next(
        e["content"] for e in reversed(log["events"]) if e["event_type"] == kind
    )
    return found


@pytest.mark.parametrize(
    ("instruction", "body", "action", "target"),
    [
        ("Create README.md", WRITES, "create", "README.md"),
        ("Update notes.md with a second section", "echo two >> notes.md", "modify", "notes.md"),
        ("notes.mdを削除してください", "rm notes.md", "delete", "notes.md"),
        ("Create a.md and b.md", "echo a > a.md; echo b > b.md", "create", "a.md, b.md"),
        ("Add a login page", "echo '<form>' > login.html", "start", None),
    ],
)
def test_a_started_task_says_what_it_sets_out_to_do(
    scene: Scene, instruction: str, body: str, action: str, target: str | None
) -> None:
    ran = scene.run(instruction, body)
    assert ran.code == 0, ran.out + ran.err
    started = content(scene.log(), KIND.TASK_STARTED)
    assert (started["action"], started.get("target_file")) == (action, target)


def test_a_chosen_option_is_the_action(scene: Scene) -> None:
    assert scene.run("Create notes.md", "echo new > notes.md").code == 2
    assert KIND.EXECUTOR_DISPATCH not in {e["event_type"] for e in scene.log()["events"]}
    assert scene.reply("Overwrite", "echo new > notes.md").code == 0
    log = scene.log()
    assert content(log, KIND.USER_RESPONSE) == {
        "response": "Overwrite",
        "selected_option": "overwrite",
    }
    assert content(log, KIND.TASK_STARTED) == {"action": "overwrite", "target_file": "notes.md"}


def test_the_session_is_where_its_task_is(scene: Scene) -> None:
    """R-4 Seven-Phase Lifecycle Enforcement: the session's record goes along with its task."""
    copied = "cp .claude/logs/sessions/*/session_state.json ../seen.json"
    assert scene.run("Create README.md", f"{WRITES}; {copied}").code == 0
    seen = json.loads((scene.project.parent / "seen.json").read_text("utf-8"))
    assert (seen["status"], seen["current_phase"]) == ("RUNNING", "EXECUTION")
    assert (scene.state()["status"], scene.state()["current_phase"]) == ("READY", "REPORT")


def test_the_writer_of_the_directory_is_on_record(scene: Scene) -> None:
    """One writing executor per directory: its lock is a FileLock of `05`."""
    lock_file = ".pm-orchestrator/runtime/state/owners/executing.json"
    assert scene.run("Create README.md", f"{WRITES}; cp {lock_file} ../lock.json").code == 0
    lock = json.loads((scene.project.parent / "lock.json").read_text("utf-8"))["lock"]
    assert (lock["file_path"], lock["holder_executor_id"]) == (str(scene.project), "claude-code")
    assert lock["lock_type"] == "WRITE"
    assert lock["lock_id"]
    assert lock["acquired_at"] < lock["expires_at"]


EDITS = (
    "sed -i 's/add(1, 2), 3/add(2, 2), 4/' tests/test_calc.py; "
    "printf '\\n\\ndef zero():\\n    return 0\\n' >> calc.py"
)


@pytest.mark.parametrize(
    ("lang", "shown"),
    [
        ("en", "an existing test file was edited: tests/test_calc.py"),
        ("ja", "既存のテストファイルが編集されました: tests/test_calc.py"),
    ],
)
def test_an_edited_test_is_shown_and_costs_nothing(scene: Scene, lang: str, shown: str) -> None:
    python_project(scene.project)
    ran = scene.run("Add a function zero to calc.py", EDITS, "--lang", lang)
    assert ran.code == 0, ran.out + ran.err
    assert shown in ran.out
    found = [
        finding
        for event in scene.log()["events"]
        for finding in event["content"].get("findings", ())
        if finding["kind"] == "test_edited"
    ]
    assert [finding["path"] for finding in found] == ["tests/test_calc.py"]
