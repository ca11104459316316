"""Whole company runs: real git, real sandboxes, scripted models."""

import asyncio
import contextlib
import json
import re
import subprocess
from pathlib import Path

import msgspec
import pytest
from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import ModelAnswer, ModelQuestion
from pm_orchestrator.agents.worker import Worker
from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.errors import PmError, may_pass
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.history.run_events import Claims, WorkerEvent, Working
from pm_orchestrator.domain.history.task_log import LogEventType
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.testing.benches.sample_site import Site, open_site
from pm_orchestrator.testing.data.secrets import kept_text
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FrozenClock
from pm_orchestrator.testing.scripted.demo_replies import (
    REPLIES,
    Block,
    call,
    finish,
    first_parts,
    write,
)
from pm_orchestrator.testing.scripted.scripted_answers import Script, ScriptedAnswers

pytestmark = pytest.mark.timeout(90)
SECRET = "sk-ant-" + "api03-" + "Zq9x" * 12


@pytest.fixture
async def site(tmp_path: Path) -> Site:
    return await open_site(tmp_path)


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def claim(*files: str) -> list[Block]:
    return [call("task_complete", summary="Done.", files=list(files))]


def always(turns: list[list[Block]], worker: str) -> dict[str, list[list[Block]]]:
    return {f"worker/{worker}/{attempt}": turns for attempt in (1, 2, 3)}


class Together(ScriptedAnswers):
    """Answers no worker before three have asked, or much time has gone by."""

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self._workers: set[str] = set()
        self._all = asyncio.Event()

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        if question.agent.startswith("worker"):
            self._workers.add(question.agent)
            if len(self._workers) >= 3:
                self._all.set()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._all.wait(), 20)
        return await super().answer(question)


class Calm:
    """A run in which everything goes well, beside work of the user's and with a secret at hand."""

    def __init__(self, folder: Path) -> None:
        self.site = asyncio.run(open_site(folder))
        root = self.site.root
        (root / "README.md").write_text("# Mine, not committed\n", encoding="utf-8")
        (root / "scratch.txt").write_text("mine too\n", encoding="utf-8")
        self.site.answers = Together
        self.before = self.users_view()
        turns = [
            [call("run_command", command=f"echo {SECRET}")],
            *REPLIES["worker/01/1"][:-1],
            [call("task_complete", summary=f"Used {SECRET}.")],
        ]
        self.result = asyncio.run(self.site.run({**REPLIES, "worker/01/1": turns}))

    def users_view(self) -> tuple[str, str, str]:
        root = self.site.root
        return (
            git(root, "rev-parse", "HEAD"),
            git(root, "branch", "--show-current"),
            git(root, "status", "--porcelain"),
        )


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Calm:
    """One run for the tests that only look at it."""
    return Calm(tmp_path_factory.mktemp("calm"))


def test_everything_is_where_it_should_be(calm: Calm) -> None:
    """E-4, E-23: tickets, branches and results are where they should be."""
    site, result = calm.site, calm.result
    assert result.status is TaskStatus.COMPLETE, result.reason.say()
    assert calm.users_view() == calm.before
    assert (site.root / "scratch.txt").read_text(encoding="utf-8") == "mine too\n"

    run = site.root / ".pm-orchestrator" / "runtime" / "runs" / result.run_id
    for name in (
        "journal.db",
        "events.jsonl",
        "messages.log",
        "git.log",
        "merge.log",
        "commands.log",
        "quality_gates.log",
        "execution_result.json",
        "summary.md",
    ):
        assert (run / name).stat().st_size > 0, name
    assert (
        msgspec.json.decode((run / "execution_result.json").read_bytes(), type=RunResult) == result
    )
    for worker in ("01/1", "02/1", "02/2", "03/1"):
        history = json.loads((run / "workers" / worker / "conversation.json").read_bytes())
        assert history["tool_calls"], worker
    backlog = site.root / ".pm-orchestrator" / "workflows" / "backlog"
    assert sorted(p.name for p in backlog.iterdir()) == [
        f"{result.ticket_id}-{n:02d}.md" for n in (1, 2, 3)
    ]

    branches = git(site.root, "branch", "--list", "agent/*", "--format=%(refname:short)")
    assert branches.split() == sorted([*(w.git_branch for w in result.work), str(result.branch)])
    assert git(site.remote, "rev-parse", str(result.branch)) == result.commit
    subjects = git(site.root, "log", "--format=%s", f"main..{result.branch}").splitlines()
    assert all(s.startswith(f"[{result.ticket_id}-0") for s in subjects)
    assert sorted(git(site.root, "ls-tree", "--name-only", f"{result.branch}:toolbox").split()) == [
        "__init__.py",
        "greeting.py",
        "roman.py",
        "slug.py",
        "words.py",
    ]
    (review,) = (
        json.loads(p.read_bytes()) for p in (site.app.paths.state / "reviews").glob("*.json")
    )
    assert review["commit"] == result.commit
    assert "refused: Nothing was delivered" in review["body"]

    assert check(site.app.paths.claude, site.app.head_file).intact
    log = site.app.book.read(result.session_id, site.app.book.entries(result.session_id)[0].task_id)
    assert log.status == "complete"
    assert len(set(log.evidence_refs)) == len(log.evidence_refs) > 20
    # The manager speaks for the Runner, before anything is given to the workers.
    kinds = [event.event_type for event in log.events]
    asked = kinds.index(LogEventType.LLM_MEDIATION_REQUEST)
    dispatched = kinds.index(LogEventType.EXECUTOR_DISPATCH)
    assert kinds[asked : asked + 2] == [
        LogEventType.LLM_MEDIATION_REQUEST,
        LogEventType.LLM_MEDIATION_RESPONSE,
    ]
    assert asked < dispatched
    assert log.events[asked + 1].content["response_type"] == "propose_plan"
    state = site.app.book.records(log.session_id).state()
    assert state is not None
    assert state.current_phase is Phase.REPORT


def test_three_workers_work_at_the_same_time(calm: Calm) -> None:
    working: set[str] = set()
    most = 0
    for event in calm.site.events:
        match event:
            case WorkerEvent(subject=ticket, detail=Working()):
                working.add(ticket)
                most = max(most, len(working))
            case WorkerEvent(subject=ticket, detail=Claims()):
                working.discard(ticket)
            case _:
                pass
    assert most == 3


@pytest.mark.long
async def test_one_worker_does_them_one_after_the_other(site: Site) -> None:
    result = await site.run(REPLIES, workers=1)
    assert result.status is TaskStatus.COMPLETE
    assert {w.agent_id for w in result.work} == {"worker-1"}


@pytest.mark.long
async def test_a_run_is_the_same_again_under_a_fixed_clock(tmp_path: Path) -> None:
    results: list[RunResult] = []
    for name in ("a", "b"):
        site = await open_site(tmp_path / name, FrozenClock(), CountingIds())
        results.append(await site.run(REPLIES, workers=1))
    first, second = (_without_machine(r) for r in results)
    assert first == second.replace(str(tmp_path / "b"), str(tmp_path / "a"))


def _without_machine(result: RunResult) -> str:
    """Everything but durations, the user's own first commit, and the drawing order of ids.

    Which logs are long enough to be compressed goes with the ids.
    """
    text = json.dumps(msgspec.to_builtins(result), indent=1)
    varying = r'"(duration_ms|output|commit|sha)": .*|(ev-|_)[0-9a-f]{16}|(?<=\.log)\.gz'
    return re.sub(varying, "", text)


@pytest.mark.long
async def test_work_that_was_not_committed_is_rescued(site: Site) -> None:
    turns = [write("slug", '"""Slugs."""\n', '"""No tests."""\n'), claim("toolbox/slug.py")]
    result = await site.run({**first_parts(1), **always(turns, "01")})
    assert result.status is TaskStatus.INCOMPLETE
    ref = f"refs/pm/rescue/{result.run_id}/01/uncommitted"
    assert git(site.root, "show", f"{ref}:toolbox/slug.py") == '"""Slugs."""'


@pytest.mark.long
async def test_a_conflict_leaves_one_sub_task_out(site: Site) -> None:
    def with_readme(worker: str) -> list[list[Block]]:
        turns = REPLIES[f"worker/{worker}/1"]
        extra = call("write_file", path="README.md", content=f"# Toolbox {worker}\n")
        return [[extra, *turns[0]], *turns[1:]]

    replies = {**REPLIES, "worker/01/1": with_readme("01"), "worker/03/1": with_readme("03")}
    result = await site.run(replies)
    assert result.status is TaskStatus.INCOMPLETE
    (left_out,) = result.left_out.items()
    assert left_out[0].endswith("-03")
    assert left_out[1].key == "merge_conflicts"
    assert "README.md" in left_out[1].say()
    assert result.review_id is None
    assert git(site.root, "show", f"{result.branch}:README.md") == "# Toolbox 01"


async def test_work_that_only_breaks_when_merged_is_taken_out_again(site: Site) -> None:
    # Each passes alone; together they are one module too many.
    test = (
        '"""The toolbox stays small."""\n\nimport unittest\nfrom pathlib import Path\n\n\n'
        "class SizeTest(unittest.TestCase):\n"
        '    """How many modules there are."""\n\n'
        "    def test_modules(self) -> None:\n"
        '        self.assertLessEqual(len(list(Path("toolbox").glob("*.py"))), 4)\n'
    )
    turns = REPLIES["worker/01/1"]
    extra = call("write_file", path="tests/test_size.py", content=test)
    replies = {**REPLIES, "worker/01/1": [turns[0], [*turns[1], extra], *turns[2:]]}
    result = await site.run(replies)
    assert result.status is TaskStatus.INCOMPLETE
    assert {t[-2:]: r.key for t, r in result.left_out.items()} == {"03": "breaks_when_merged"}
    assert result.gates is not None
    assert {r.verdict for r in result.gates.results} == {"pass"}


@pytest.mark.long
async def test_cheap_ways_to_done_are_refused(site: Site) -> None:
    ends = [finish("Add it", "Done, all tests pass.", name) for name in ("slug", "words", "roman")]
    # The gate is made to say yes.
    yes = call("write_file", path="Makefile", content="lint:\n\t@true\ntest:\n\t@echo 1 passed\n")
    diluted = [[*write("slug", '"""Slugs."""\n', '"""No tests."""\n'), yes], *ends[0]]
    empty = [write("words", "", ""), ends[1][0], claim()]
    # Only one of the two files that were asked for.
    half = [write("roman", '"""Numerals."""\n', "")[:1], ends[2][0], claim()]
    result = await site.run(
        {**REPLIES, **always(diluted, "01"), **always(empty, "02"), **always(half, "03")}
    )
    assert result.status is TaskStatus.INCOMPLETE
    refused = [[refusal.reason.key for refusal in work.refusals] for work in result.work]
    assert refused == [["checks_diluted"] * 3, ["files_empty"] * 3, ["files_missing"] * 3]


def test_secrets_are_nowhere(calm: Calm) -> None:
    assert SECRET not in str(calm.result)
    places = (calm.site.root / ".claude", calm.site.root / ".pm-orchestrator")
    leaks = [
        p
        for place in places
        for p in place.rglob("*")
        if p.is_file() and SECRET.encode() in kept_text(p)
    ]
    assert leaks == []


@pytest.mark.long
async def test_a_broken_down_worker_is_reported_and_the_others_go_on(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_down(monkeypatch, PmError("git_failed", operation="fetch", reason="it was killed"))
    result = await site.run(first_parts(2))
    assert result.status is TaskStatus.INCOMPLETE
    assert [w.status for w in result.work] == ["error", "success"]
    (reason,) = result.left_out.values()
    assert (reason.key, result.work[0].errors) == ("part_stopped", (reason.say(),))
    assert "it was killed" in reason.say()
    assert result.work[0].refusals == ()
    errors = site.root / ".pm-orchestrator" / "runtime" / "runs" / result.run_id / "errors.log"
    assert "it was killed" in errors.read_text(encoding="utf-8")


@pytest.mark.long
async def test_a_worker_whose_sandbox_is_gone_has_its_part_done_when_the_run_is_resumed(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        break_down(patched, PmError("sandbox_gone", reason="it was killed"))
        with pytest.raises(PmError, match="E702") as raised:
            await site.run(first_parts(2))
    assert "resume run_001" in raised.value.hint()
    # The other came to its end all the same, and nothing of that is done again.
    assert working(site) == {("02", 1), ("02", 2)}
    site.events.clear()
    result = await site.resume(first_parts(2), "run_001")
    assert result.status is TaskStatus.COMPLETE, result.reason.say()
    assert working(site) == {("01", 1)}
    assert [w.refusals for w in result.work if w.ticket_id.endswith("-01")] == [()]


def working(site: Site) -> set[tuple[str, int]]:
    return {
        (e.subject[-2:], e.detail.attempt)
        for e in site.events
        if isinstance(e, WorkerEvent) and isinstance(e.detail, Working)
    }


def break_down(
    monkeypatch: pytest.MonkeyPatch, error: PmError, parts: tuple[str, ...] = ("01",)
) -> None:
    """The workers of some parts never get to an answer."""
    attempt = Worker.attempt

    async def broken(self: Worker, assignment: Assignment) -> AttemptResult:
        if assignment.sub_task.sub_id in parts:
            raise error
        return await attempt(self, assignment)

    monkeypatch.setattr(Worker, "attempt", broken)


async def test_a_failure_for_good_does_not_promise_that_the_run_goes_on(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = PmError("git_failed", operation="fetch", reason="it was killed")
    break_down(monkeypatch, error, ("01", "02", "03"))
    with pytest.raises(PmError, match="E801") as raised:
        await site.run(REPLIES)
    assert "resume" not in raised.value.hint()


async def test_an_outage_is_no_attempt_and_loses_nothing(site: Site) -> None:
    # The model writes its files, and is never heard of again.
    first = [*REPLIES["worker/01/1"][1], call("run_command", command=f"echo {SECRET}")]
    with pytest.raises(PmError, match="E605") as raised:
        await site.run({**first_parts(1), "worker/01/1": [first]}, workers=1)
    assert may_pass(raised.value)
    assert "resume run_001" in raised.value.hint()
    run = site.root / ".pm-orchestrator" / "runtime" / "runs" / "run_001"
    ref = f"refs/pm/rescue/{run.name}/01/uncommitted"
    assert "slug" in git(run / "repository.git", "show", f"{ref}:toolbox/slug.py")
    assert ref in (run / "errors.log").read_text(encoding="utf-8")
    kept = (run / "workers" / "01" / "1" / "conversation.json").read_text(encoding="utf-8")
    assert "write_file" in kept
    leaks = [p for p in run.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
    assert leaks == []


@pytest.mark.long
async def test_nothing_from_anybody_is_nothing_delivered(site: Site) -> None:
    idle = [[call("task_complete", summary="All done.", files=[])]]
    lazy = {f"worker/0{part}/{n}": idle for part in (1, 2) for n in (1, 2, 3)}
    result = await site.run({"manager": first_parts(2)["manager"], **lazy})
    assert result.status is TaskStatus.INCOMPLETE
    assert result.reason.key == "part_incomplete"
    assert len(result.left_out) == 2
    assert (result.branch, result.commit, result.changes) == (None, None, ())
    assert {work.status for work in result.work} == {"partial"}
