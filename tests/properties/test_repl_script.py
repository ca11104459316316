"""A script of lines: everything is done, in order, and the shell is told the truth."""

import asyncio
import io
import os
import re
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

from hypothesis import given, settings, strategies as st
from typing_extensions import override

from pm_orchestrator.bootstrap.environment import Environment, read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.input_lines import InputLines
from pm_orchestrator.cli.repl.script import run_script
from pm_orchestrator.cli.repl.slash_commands import COMMANDS
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.history.task_log import BlockedReason
from pm_orchestrator.ports.executor import ExecutorResult, ExecutorTask
from pm_orchestrator.runner.project.project_sessions import repl_states
from pm_orchestrator.testing.scripted.fake_executors import (
    BlockedFake,
    ErrorFake,
    FakeExecutor,
    FixedExecutors,
    SuccessFake,
)

TASKS = {
    "Create good.md": "COMPLETE",
    "Create elsewhere.md": "INCOMPLETE",
    "Create stuck.md": "ERROR",
    "Create broken.md": "ERROR",
    "fix it": "INCOMPLETE",
}
"""What the executors below make of each; the last one is answered with a question."""
CODES = {"COMPLETE": 0, "INCOMPLETE": 2, "ERROR": 1}
QUERIES = ("/tasks", "/logs", "/status", "/help", "/keys", "/models")
WRONG = ("/nothing", "exit", "/logs task-999", "/provider select", "/continue", "/START", "/")


class ByName(FakeExecutor):
    """Ends as the file's name says."""

    @override
    async def answer(self, task: ExecutorTask) -> ExecutorResult:
        if "good" in task.instruction:
            return await SuccessFake(task.instruction.split()[1]).answer(task)
        if "elsewhere" in task.instruction:
            return await SuccessFake(f"other{len(self.tasks)}.md").answer(task)
        if "stuck" in task.instruction:
            return await BlockedFake(BlockedReason.TIMEOUT).answer(task)
        return await ErrorFake().answer(task)


class Script:
    """One REPL over a project of its own."""

    def __init__(self, root: Path) -> None:
        self.project = root / "project"
        self.project.mkdir()
        self.executor = ByName()
        self.code = -1
        self.out = self.err = ""
        variables = {"HOME": str(root), "PATH": str(root), "XDG_STATE_HOME": str(root / "state")}
        self.environment: Environment = read_environment(variables)

    async def _run(self, data: bytes, *, wait: bool) -> None:
        await init_at(self.project, adopt=False)
        self.app = await open_project(self.environment, self.project)
        self.app.executors = FixedExecutors(self.executor)
        conversation = Conversation(
            self.project,
            self.environment,
            Screen("en", self.app.masker),
        )
        conversation.use(self.app)
        reading, writing = os.pipe()
        os.set_blocking(writing, True)
        try:
            feed = asyncio.create_task(asyncio.to_thread(_feed, writing, data))
            self.code = await run_script(conversation, InputLines(reading), wait=wait)
            os.close(reading)
            reading = -1
            await feed
        finally:
            if reading >= 0:
                os.close(reading)

    def run(self, *lines: str, wait: bool = True) -> "Script":
        # A file of its own for each: creating one that is there would be asked about.
        numbered = (line.replace(".md", f"{n}.md") for n, line in enumerate(lines))
        return self.feed("".join(f"{line}\n" for line in numbered).encode(), wait=wait)

    def feed(self, data: bytes, *, wait: bool = True) -> "Script":
        self.waited = wait
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            asyncio.run(self._run(data, wait=wait))
        self.out, self.err = out.getvalue(), err.getvalue()
        return self


def _feed(writing: int, data: bytes) -> None:
    with os.fdopen(writing, "wb") as pipe:
        try:
            pipe.write(data)
        except BrokenPipeError:
            return  # It left before the end, as it may.


@contextmanager
def script() -> Generator[Script]:
    # Nothing here asks what the disk keeps, and memory does not make a hundred scripts wait.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Script(Path(folder))


lines = st.lists(st.sampled_from([*TASKS, *QUERIES, *WRONG]), max_size=5)


@given(lines, st.booleans())
def test_a_script_is_carried_out_in_order_and_its_end_is_told(body: list[str], wait: bool) -> None:
    """R-28, R-29, R-30, R-39 One run of any script shows them all.

    A run costs its tasks, so the four are looked at together.
    """
    with script() as repl:
        repl.run("/start", *body, "/tasks", "/logs", "/exit", wait=wait)
        the_exit_code_follows(repl, body)
        summaries_are_whole(repl, body)
        both_ids_are_shown(repl, body)
        if wait:
            results_are_in_order(repl, body)


def the_exit_code_follows(repl: Script, body: list[str]) -> None:
    """Error over incomplete over complete."""
    wanted = [CODES[TASKS[line]] for line in body if line in TASKS]
    wanted += [1 for line in body if line in WRONG]
    assert repl.code == (1 if 1 in wanted else max(wanted, default=0))


def results_are_in_order(repl: Script, body: list[str]) -> None:
    """As many results as lines, each complete before the next, and all logs on disk."""
    kinds = {
        "[RESULT]": "task",
        "Summary": "/tasks",
        "Task Logs (session:": "/logs",
        "overall_status: ": "/status",
        "Available commands:": "/help",
        "API Key Status:": "/keys",
    }
    after_start = repl.out.split("selected_model:", 1)[1]
    found = [
        kind
        for line in after_start.splitlines()
        for mark, kind in kinds.items()
        if line.startswith(mark)
    ]
    asked = ["task" if line in TASKS else line for line in [*body, "/tasks", "/logs"]]
    assert found == [line for line in asked if line in kinds.values()]


def summaries_are_whole(repl: Script, body: list[str]) -> None:
    """One for every task, all fields, nothing supposed, and the state already moved."""
    ends = [TASKS[line] for line in body if line in TASKS]
    blocks = re.findall(r"=== TASK SUMMARY ===\n(.*?)====================", repl.out, re.DOTALL)
    found = [dict(re.findall(r"^\[(\w+)\] +(\S.*)$", b, re.MULTILINE)) for b in blocks]
    assert [fields["RESULT"] for fields in found] == ends
    for fields in found:
        assert list(fields) == ["RESULT", "TASK", "NEXT", "WHY", "HINT"]
        assert not re.search(r"probably|maybe|おそらく|かもしれ", fields["WHY"])
    state = repl_states(repl.app).read()
    assert state.current_task_id is None
    assert state.last_task_id == (found[-1]["TASK"] if found else None)


def both_ids_are_shown(repl: Script, body: list[str]) -> None:
    """`/tasks` and `/logs` name both ids of every task; either finds the log."""
    session = repl.app.book.latest_session()
    assert session is not None
    repl.app.book.check(session)
    entries = repl.app.book.entries(session)
    pairs = {(entry.external_task_id, entry.task_id) for entry in entries}
    tasks = sum(line in TASKS for line in body)
    assert len(entries) == len({a for a, _ in pairs}) == len({b for _, b in pairs}) == tasks
    for external, log in pairs:
        assert repl.app.book.read(session, external) == repl.app.book.read(session, log)
        if repl.waited:
            assert f"{external}: " in repl.out
            assert f"[log: {log}]" in repl.out
            assert re.search(rf"\| {log} +\| {external} ", repl.out)


@given(st.sampled_from(["Create stuck.md", "Create broken.md"]), st.integers(1, 3))
@settings(max_examples=30)
def test_commands_after_a_blocked_executor_are_all_processed(line: str, times: int) -> None:
    """R-36 Subsequent Command Processing: /tasks, /logs, /status and /exit run after a block."""
    with script() as repl:
        repl.run("/start", *[line] * times, "/tasks", "/logs", "/status", "/exit", "Create good.md")
        assert f"{times} failed" in repl.out
        assert repl.out.count("blocked: TIMEOUT after 1000 ms") == ("stuck" in line) * times
        assert "overall_status: ERROR" in repl.out
        assert repl.code == 1
        assert len(repl.executor.tasks) == times, "nothing runs after /exit"


hostile = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(
        [*(name.encode() for name in COMMANDS if name not in {"/exit", "/start"}), b"/ help"]
    ).flatmap(lambda name: st.binary(max_size=40).map(lambda rest: name + b" " + rest)),
)
"""Bytes and text of every kind, and commands with any argument."""


@given(st.lists(hostile, min_size=90, max_size=120))
def test_hostile_lines_never_break_it(data: list[bytes]) -> None:
    """R-28 Output Integrity: whatever is typed, no traceback, no hang, no unasked work."""
    with script() as repl:
        repl.feed(b"\n".join(data).replace(b"/exit", b"/exi"))
        assert "Traceback" not in repl.out + repl.err
        assert "E905" not in repl.err
        assert repl.executor.tasks == [], "there was no session, so nothing may run"
        assert repl.code in (0, 1)
        asked = [line for part in data for line in part.split(b"\n") if line.strip()]
        assert repl.code == 1 or len(asked) <= repl.out.count("\n")


@given(st.lists(st.integers(1, 12), min_size=1, max_size=3), st.sampled_from(["/x", "あ", "\0"]))
@settings(max_examples=15)
def test_lines_of_a_megabyte_are_lines_like_others(sizes: list[int], text: str) -> None:
    """R-28 Output Integrity: a line of any length is refused or answered, and the next one too."""
    with script() as repl:
        lines = [text * (size * 100_000 // len(text.encode())) for size in sizes]
        repl.feed("\n".join([*lines, "/help"]).encode())
        assert "Available commands:" in repl.out
        assert repl.executor.tasks == []
        assert repl.code == 1
