"""What an agent's hands cost: small reads in a sandbox, and turns of the loop around them.

The model answers at once, so that a turn is what we add to it: the call, its answer, and both
on the disk before the model is asked again. A turn that changes a file also brings the
workspace out of the sandbox; it is held against git doing as much without one.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

from typing_extensions import override

from pm_orchestrator.agents.attempt_book import AttemptBook
from pm_orchestrator.agents.tool_loop import ToolLoop
from pm_orchestrator.bootstrap.sandboxing.sandbox_shop import SandboxShop
from pm_orchestrator.cli.bench.bench_place import BenchPlace
from pm_orchestrator.cli.bench.disk import run_git
from pm_orchestrator.cli.bench.instant import AUTHOR, make_git_project
from pm_orchestrator.cli.bench.ratios import Comparison, Ratio, measure
from pm_orchestrator.dispatch.workspace_state import STATE_BRANCH, WorkspaceStates
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    ChatRequest,
    Message,
    TokenUsage,
    ToolCall,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.records.turn_journal import TurnJournal
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.executor import ExecutorTask
from pm_orchestrator.ports.sandbox import Sandbox
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.project.project import Project

FILES = 50
SMALL = "part_0/file_0.py"
READS_A_SECOND, TURNS_A_SECOND = 2_000, 100
AT_ONCE = {"small reads": 500, "turns that look": 50}
ROUNDS = 5
SAVED_TURNS = 5
SAVING_ALLOWED = 4.0


class InstantModel(ChatModel):
    """Makes the same call again and again."""

    def __init__(self, name: str, arguments: Callable[[int], dict[str, Any]]) -> None:
        self._name = name
        self._arguments = arguments
        self._numbers = count(1)

    @override
    async def chat(self, request: ChatRequest) -> ChatReply:
        number = next(self._numbers)
        call = ToolCall(id=f"t{number}", name=self._name, arguments=self._arguments(number))
        usage = TokenUsage(input_tokens=100, output_tokens=10)
        return ChatReply(message=Message(role="assistant", tool_calls=(call,)), usage=usage)


async def measure_hands(place: BenchPlace) -> list[Ratio]:
    """Reads, turns that look, and turns that change a file."""
    project = place.folder / "project"
    await asyncio.to_thread(make_git_project, place.environment, project, FILES)
    opened = await place.open(project)
    async with SandboxShop.of(opened).opened() as sandbox:
        looks = InstantModel("read_file", lambda _: {"path": SMALL})

        async def reads() -> None:
            for _ in range(AT_ONCE["small reads"]):
                await sandbox.read_file(SMALL)

        async def turns() -> None:
            await _talk(opened, sandbox, looks, AT_ONCE["turns that look"])

        return [
            await _rate("small reads", reads, READS_A_SECOND),
            await _rate("turns that look", turns, TURNS_A_SECOND),
            await _saving(place, opened, sandbox),
        ]


async def _rate(name: str, work: Callable[[], Awaitable[object]], a_second: int) -> Ratio:
    """The best of a few rounds, as what others do meanwhile is none of ours."""
    best, many = float("inf"), AT_ONCE[name]
    for _ in range(ROUNDS):
        start = time.perf_counter()
        await work()
        best = min(best, (time.perf_counter() - start) * 1000)
    allowed_ms = many * 1000 / a_second
    return Ratio(
        name=f"{many} {name} in a sandbox",
        yardstick=f"{a_second} a second",
        ours_ms=best,
        yardstick_ms=allowed_ms,
        ratio=best / allowed_ms,
        allowed=1.0,
    )


async def _talk(
    opened: Project, sandbox: Sandbox, model: ChatModel, turns: int, book: AttemptBook | None = None
) -> None:
    task = ExecutorTask(
        task_id="bench",
        instruction="Go on.",
        hands=sandbox,
        timeout_s=60.0,
        turns=turns,
        model="instant",
        keeper=book or _book(opened),
    )
    result = await ToolLoop(model, opened.clock).execute(task)
    if result.claim.turns != turns or result.failed_tool_calls:
        raise PmError("program_fault", reason=f"the loop ended early: {result.claim.summary}")


def _book(opened: Project) -> AttemptBook:
    path = opened.paths.home / f"{opened.ids.token()}.jsonl"
    return AttemptBook(TurnJournal(opened.files, path, opened.masker), opened.clock)


async def _saving(place: BenchPlace, opened: Project, sandbox: Sandbox) -> Ratio:
    """A file written, and the whole workspace in the run's repository, turn by turn."""
    folder = RunDirectory(place.folder / "run")
    repository = opened.repository(folder)
    base = await repository.import_base(opened.paths.root, "HEAD")
    states, model = WorkspaceStates(sandbox, base), _writing()

    async def save() -> str | None:
        saved = await states.save(opened.clock.now())
        if saved is None:
            return None
        return await repository.receive(saved[1], STATE_BRANCH, "refs/pm/workspace/bench")

    async def ours() -> None:
        await _talk(opened, sandbox, model, SAVED_TURNS, _book(opened).saves_by(save))

    numbers = count(1)

    async def plain() -> None:
        for _ in range(SAVED_TURNS):
            await asyncio.to_thread(_committed, place, next(numbers))

    what = Comparison(
        name=f"{SAVED_TURNS} turns that change a file, each saved out of the sandbox",
        yardstick="git add, commit, bundle and fetch of as much",
        allowed=SAVING_ALLOWED,
        rounds=ROUNDS,
        warm_up=1,
    )
    return await measure(what, ours, plain)


def _writing() -> InstantModel:
    return InstantModel("write_file", lambda n: {"path": "changed.txt", "content": f"{n}\n"})


def _committed(place: BenchPlace, number: int) -> None:
    project, other = place.folder / "plain", place.folder / "other"
    if number == 1:
        make_git_project(place.environment, project, FILES)
        make_git_project(place.environment, other, FILES)
    bundle = str(place.folder / "plain.bundle")
    (project / "changed.txt").write_text(f"{number}\n", encoding="utf-8")
    run_git(place.environment, project, "add", "--all")
    run_git(place.environment, project, *AUTHOR, "commit", "-qm", "bench")
    run_git(place.environment, project, "bundle", "create", "-q", bundle, "HEAD")
    run_git(place.environment, other, "fetch", "-q", bundle, "HEAD")
