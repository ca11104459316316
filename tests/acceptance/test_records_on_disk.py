"""What sessions leave on disk is what `05` says, by name, type and meaning.

The expectations are written down from the specification, not from our own records. Every file
below `.claude` and `.pm-orchestrator` is read, and one that nobody expects is an error.
"""

import hashlib
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, cast

import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, TRIPLE, TWO, calc_project
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.programs.called_program import Program, clean_environment
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_company import ScriptedCompany

pytestmark = pytest.mark.timeout(120)

VERDICT = "COMPLETE|INCOMPLETE|ERROR|INVALID|NO_EVIDENCE"
PHASE = "REQUIREMENT_ANALYSIS|TASK_DECOMPOSITION|PLANNING|EXECUTION|QA|COMPLETION_VALIDATION|REPORT"
STATUS = "queued|running|complete|incomplete|error"
# What a word of `05` means on disk; `?` behind one is null as well, `[]` a list of them.
KINDS = {
    "id": r"[A-Za-z0-9._-]+",
    "text": r"(?s).*",
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z",
    "absolute": r"/.*",
    "relative": r"[^/].*",
    "sha256": r"[0-9a-f]{64}",
    "thread": r"thr_\d{3,}",
    "run": r"run_\d{3,}",
    "log": r"task-\d{3,}",
    "provider": "claude-code|openai|anthropic",
    "executor": r"claude-code|openai|anthropic|company|worker.*",
    "method": "diff|executor_claim",
    "verdict": VERDICT,
    "phase": PHASE,
    "status": STATUS,
    "thread_type": "main|background|system",
    "run_status": "RUNNING|COMPLETED|FAILED|CANCELLED",
    "trigger": "USER_INPUT|USER_RESPONSE|CONTINUATION|EXECUTOR",
    "level": "summary|full",
    "event_type": (
        "USER_INPUT|RUNNER_CLARIFICATION|USER_RESPONSE|TASK_STARTED|TASK_COMPLETED|TASK_INCOMPLETE|"
        "TASK_ERROR|EVIDENCE_MISSING|LLM_MEDIATION_REQUEST|LLM_MEDIATION_RESPONSE|"
        "EXECUTOR_DISPATCH|EXECUTOR_OUTPUT|EXECUTOR_BLOCKED|FILE_OPERATION|TEST_EXECUTION"
    ),
}
# Each record of `05`, field by field; a field behind `|` may be left out.
RECORDS = {
    "ReplState": (
        "selected_provider:provider? selected_model:text? updated_at:time? current_task_id:id? "
        "last_task_id:id?"
    ),
    "SessionMetadata": "session_id:id started_at:time threads:ThreadEntry[] runs:RunEntry[]",
    "ThreadEntry": "thread_id:thread thread_type:thread_type",
    "RunEntry": "run_id:run thread_id:thread status:run_status",
    "Session": (
        "session_id:id started_at:time target_project:absolute runner_version:text "
        "configuration:object current_phase:phase status:text continuation_approved:bool "
        "limit_violations:LimitViolation[] selected_provider:provider? selected_model:text?"
    ),
    "LimitViolation": (
        "limit_type:text limit_value:int actual_value:int timestamp:time resolution_required:bool"
    ),
    "Thread": (
        "thread_id:thread session_id:id thread_type:thread_type created_at:time | description:text?"
    ),
    "Run": (
        "run_id:run thread_id:thread session_id:id started_at:time completed_at:time? "
        "status:run_status trigger:trigger"
    ),
    "TaskLogIndex": "session_id:id created_at:time updated_at:time entries:TaskLogEntry[]",
    "TaskLogEntry": (
        "task_id:log external_task_id:id thread_id:thread run_id:run parent_task_id:id? "
        "status:status started_at:time completed_at:time? duration_ms:int files_modified_count:int "
        "tests_run_count:int log_file:relative | accepted:bool"
    ),
    "TaskLog": (
        "task_id:id log_id:log session_id:id status:status started_at:time ended_at:time? "
        "prompt_summary:text runner_decision:text error_reason:text? artifacts:ArtifactList "
        "visibility:level masked:bool events:LogEvent[] verification_root:absolute "
        "verified_files:VerifiedFile[] | thread_id:thread run_id:run parent_task_id:id? "
        "created_at:time executor_summary:text evidence_summary:EvidenceSummary "
        "summary:TaskLogSummary evidence_refs:id[] executor_blocked:bool blocked_reason:text "
        "timeout_ms:int terminated_by:text accepted:text[]"
    ),
    "LogEvent": "event_type:event_type timestamp:time visibility_level:level content:object",
    "ArtifactList": (
        "files_touched:relative[] files_expected:relative[] files_created:relative[] "
        "files_modified:relative[] files_deleted:relative[]"
    ),
    "VerifiedFile": "path:relative exists:bool detected_at:time detection_method:method",
    "EvidenceSummary": (
        "files_expected:relative[] files_verified:relative[] files_missing:relative[] "
        "verification_passed:bool verification_reason:text verified_files:VerifiedFile[]"
    ),
    "TaskLogSummary": (
        "total_events:int summary_events:int full_events:int total_tokens_input:int "
        "total_tokens_output:int total_latency_ms:int"
    ),
    "Evidence": (
        "evidence_id:id timestamp:time operation_type:text artifacts:object[] hash:sha256 "
        "raw_logs:relative atomic_operation:bool raw_evidence_refs:text[] "
        "integrity_validated:bool contains_sensitive_data:bool | executor_id:text"
    ),
    "FileLock": (
        "lock_id:id file_path:absolute holder_executor_id:text acquired_at:time expires_at:time "
        "lock_type:text"
    ),
    "ExecutionResult": (
        "overall_status:verdict tasks:Task[] evidence_summary:EvidenceSummary next_action:bool "
        "next_action_reason:text violations:text[] session_id:id incomplete_task_reasons:text[] "
        "evidence_inventory:EvidenceInventory speculative_language_detected:bool "
        "selected_provider:text? selected_model:text? | accepted:text[]"
    ),
    "EvidenceInventory": (
        "total_evidence_items:int missing_evidence_operations:id[] integrity_failures:id[] "
        "raw_evidence_files:relative[]"
    ),
    "Task": (
        "task_id:id thread_id:thread run_id:run parent_task_id:id? description:text "
        "requirements:text[] status:verdict evidence_refs:id[] files_modified:absolute[] "
        "tests_run:TestRun[] tests_required_before_implementation:bool "
        "granularity_limits:TaskLimits decomposition_approved_by_runner:bool log_ref:log "
        "| assigned_executor:executor"
    ),
    "TestRun": "name:text verdict:text evidence_id:id",
    "TaskLimits": "max_files:int max_tests:int max_seconds:int",
}
# Where `05` and DESIGN put things; the first that fits counts. None is no record of `05`.
SESSION, RUN = ".claude/logs/sessions/*", ".pm-orchestrator/runtime/runs/run_*"
PLACES: dict[str, str | None] = {
    ".claude/repl.json": "ReplState",
    ".claude/logs/index.json": "TaskLogIndex[]",
    f"{SESSION}/session.json": "SessionMetadata",
    f"{SESSION}/session_state.json": "Session",
    f"{SESSION}/threads.json": "Thread[]",
    f"{SESSION}/runs.jsonl": "Run lines",
    f"{SESSION}/index.json": "TaskLogIndex",
    f"{SESSION}/tasks/task-*.json": "TaskLog",
    ".claude/evidence/ev-*.json": "Evidence",
    f"{RUN}/report.json": "ExecutionResult",
    # The user's, marks for git, locks, and sidecars.
    ".claude/settings.json": None,
    ".claude/CLAUDE.md": None,
    "*/.git": None,
    "*/.gitignore": None,
    "*.lock": None,
    ".claude/evidence/chain.*": None,
    f"{SESSION}/index.jsonl": None,
    f"{SESSION}/facts/*.json": None,
    ".claude/raw/*/*_*.log*": None,
    ".claude/raw/*/*_answer.md": None,
    ".pm-orchestrator/*": None,
}
Json = Any


def problems(value: Json, kind: str, where: str) -> Iterator[str]:
    """In what `value` is not of this kind."""
    if kind.endswith("?"):
        if value is not None:
            yield from problems(value, kind[:-1], where)
    elif kind.endswith("[]"):
        if not isinstance(value, list):
            yield f"{where}: {value!r} is no list"
            return
        for number, item in enumerate(cast("list[Json]", value)):
            yield from problems(item, kind[:-2], f"{where}[{number}]")
    elif kind in RECORDS:
        yield from field_problems(value, RECORDS[kind], where)
    elif kind in {"bool", "int", "object"}:
        wanted = {"bool": bool, "int": int, "object": dict}[kind]
        if type(value) is not wanted:
            yield f"{where}: {value!r} is no {kind}"
    elif not isinstance(value, str) or not re.fullmatch(KINDS[kind], value):
        yield f"{where}: {value!r} is no {kind}"


def field_problems(value: Json, fields: str, where: str) -> Iterator[str]:
    must, _, may = fields.partition("|")
    wanted = dict(field.split(":") for field in must.split())
    allowed = wanted | dict(field.split(":") for field in may.split())
    if not isinstance(value, dict):
        yield f"{where}: {value!r} is no record"
        return
    found = cast("dict[str, Json]", value)
    yield from (f"{where}: no {name}" for name in wanted.keys() - found.keys())
    yield from (f"{where}: {name} is not of 05" for name in found.keys() - allowed.keys())
    for name in found.keys() & allowed.keys():
        yield from problems(found[name], allowed[name], f"{where}.{name}")


class Disk:
    """Everything that lies below the Runner's two directories of a project."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.claude = root / ".claude"

    def files(self) -> list[str]:
        found = (p for top in (".claude", ".pm-orchestrator") for p in (self.root / top).rglob("*"))
        kept = (p for p in found if p.is_file() and "session/logs" not in str(p))
        return sorted(p.relative_to(self.root).as_posix() for p in kept)

    def read(self, name: str) -> Json:
        return json.loads((self.root / name).read_text("utf-8"))

    def sessions(self) -> list[Path]:
        return [p.parent for p in sorted(self.claude.glob("logs/sessions/*/session.json"))]

    def logs(self, session: Path) -> list[Json]:
        return [json.loads(p.read_text("utf-8")) for p in sorted(session.glob("tasks/*.json"))]

    def runs(self, session: Path) -> dict[str, Json]:
        lines = (session / "runs.jsonl").read_text("utf-8").splitlines()
        return {run["run_id"]: run for run in map(json.loads, lines)}

    def all_logs(self) -> list[Json]:
        return [log for session in self.sessions() for log in self.logs(session)]

    def reports(self) -> list[Json]:
        found = sorted(self.root.glob(f"{RUN}/report.json"))
        return [json.loads(p.read_text("utf-8")) for p in found]


ONE_BY_ONE = """
n=$(cat ../turn 2>/dev/null || echo 0); n=$((n+1)); echo $n > ../turn
case $n in
1) printf '\\n\\ndef halve(n):\\n    return n / 2\\n' >> calc/core.py
   cat > tests/test_halve.py <<'PY'
import unittest

from calc import core


class HalveTest(unittest.TestCase):
    def test_halve(self):
        self.assertEqual(core.halve(4), 2)
PY
   ;;
3) echo '# Answered' > ANSWERED.md;;
4) mkdir -p notes; for i in $(seq 30); do echo $i > notes/$i.md; done;;
esac
"""
SCRIPT = """/start
Add a function halve to calc/core.py
Create PLAN.md
create it
/reply ANSWERED.md
Add notes on every release to the project
/accept
/undo
/tasks
/exit
"""


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory, made_project: Path) -> Disk:
    """A conversation, a company and a crash, one after the other in one project."""
    place = tmp_path_factory.mktemp("left")
    root = shutil.copytree(made_project, place / "project", symlinks=True)
    calc_project(root)
    home, temporary = place / "home", place / "tmp"
    home.mkdir()
    temporary.mkdir()
    program = Program(place, clean_environment(home, temporary))
    at = ("--project", str(root))
    claude = ClaudeScript(place / "bin")
    ran = program("repl", "--non-interactive", *at, stdin=SCRIPT, env=claude.does(ONE_BY_ONE))
    assert ran.code in {1, 2}, ran.out + ran.err
    with ScriptedCompany() as company:
        company.plans(DOUBLE, TRIPLE)
        ended = CompanyBench(program, root, company).run(TWO)
        assert ended.code == 0, ended.out + ended.err
    killed(root, {**program.environment, **claude.does("touch ../working; sleep 60")})
    again = program("run", "--solo", "Create LATE.md", *at, env=claude.does("echo x > LATE.md"))
    assert again.code == 0, again.out + again.err
    return Disk(root)


def killed(root: Path, environment: dict[str, str]) -> None:
    """A Runner that dies while its executor works."""
    program = [sys.executable, "-m", "pm_orchestrator", "run", "--solo", "Create GONE.md"]
    process = subprocess.Popen(
        [*program, "--project", str(root)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 30
    while not (root.parent / "working").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_every_file_is_the_record_it_should_be(left: Disk) -> None:
    wrong: list[str] = []
    seen: set[str] = set()
    for name in left.files():
        kinds = [kind for place, kind in PLACES.items() if fnmatch(name, place)]
        if not kinds:
            wrong.append(f"{name}: not expected")
        elif kinds[0] == "Run lines":
            for line in (left.root / name).read_text("utf-8").splitlines():
                wrong += problems(json.loads(line), "Run", name)
        elif kinds[0] is not None:
            wrong += problems(left.read(name), kinds[0], name)
        seen |= {kind for kind in kinds[:1] if kind}
    assert wrong == []
    assert seen == {kind for kind in PLACES.values() if kind}


def test_every_end_is_among_them(left: Disk) -> None:
    """The scenes do what they are meant to do, or the rest would prove little."""
    talk = max(map(left.logs, left.sessions()), key=len)
    assert [log["status"] for log in talk[:4]] == ["complete", "incomplete", "complete", "complete"]
    assert [bool(log.get("accepted")) for log in talk[:4]] == [False, False, False, True]
    assert [log["status"] for log in left.all_logs()].count("error") == 1


def test_a_session_says_the_same_of_itself_everywhere(left: Disk) -> None:
    listed = {index["session_id"]: index for index in left.read(".claude/logs/index.json")}
    assert listed.keys() == {session.name for session in left.sessions()}
    for session in left.sessions():
        of = {p.stem: json.loads(p.read_text("utf-8")) for p in session.glob("*.json")}
        metadata, state, index = of["session"], of["session_state"], of["index"]
        assert metadata["started_at"] == state["started_at"]
        assert {r["session_id"] for r in (metadata, state, index)} == {session.name}
        assert state["target_project"] == str(left.root)
        assert listed[session.name]["entries"] == index["entries"]
        runs, threads = left.runs(session), {t["thread_id"]: t for t in of["threads"]}
        short = [{k: r[k] for k in ("run_id", "thread_id", "status")} for r in runs.values()]
        assert metadata["runs"] == short
        assert [t["thread_id"] for t in metadata["threads"]] == list(threads)
        assert all(run["thread_id"] in threads for run in runs.values())
        # Everything has ended.
        assert "RUNNING" not in {run["status"] for run in runs.values()}
        assert all(run["completed_at"] >= run["started_at"] for run in runs.values())


def test_an_index_follows_from_its_logs(left: Disk) -> None:
    for session in left.sessions():
        entries = json.loads((session / "index.json").read_text("utf-8"))["entries"]
        logs = left.logs(session)
        assert [entry["task_id"] for entry in entries] == [log["log_id"] for log in logs]
        runs, tasks = left.runs(session), {log["task_id"] for log in logs}
        for entry, log in zip(entries, logs, strict=True):
            same = ("thread_id", "run_id", "parent_task_id", "status", "started_at")
            assert {k: entry[k] for k in same} == {k: log[k] for k in same}
            assert entry["external_task_id"] == log["task_id"]
            assert entry["completed_at"] == log["ended_at"]
            assert (session / entry["log_file"]).is_file()
            assert entry["files_modified_count"] == sum(f["exists"] for f in log["verified_files"])
            tests = [e["content"] for e in log["events"] if e["event_type"] == "TEST_EXECUTION"]
            assert entry["tests_run_count"] == sum(t["tests_run"] for t in tests)
            assert runs[log["run_id"]]["thread_id"] == log["thread_id"]
            assert log["parent_task_id"] is None or log["parent_task_id"] in tasks


def test_a_log_tells_the_whole_story(left: Disk) -> None:
    for log in left.all_logs():
        assert (log["error_reason"] is None) == (log["status"] == "complete"), log["task_id"]
        assert (log["masked"], log["visibility"]) == (True, "summary")
        assert len(log["prompt_summary"]) <= 100
        assert log["verification_root"] == str(left.root)
        times = [event["timestamp"] for event in log["events"]]
        assert times == sorted(times)
        assert log["started_at"] <= times[0]
        assert log["ended_at"] >= times[-1]
        counted = log["summary"]
        assert counted["total_events"] == len(times)
        assert counted["summary_events"] + counted["full_events"] == len(times)


def test_every_operation_has_its_record_and_its_raw_log(left: Disk) -> None:
    named = {ref for log in left.all_logs() for ref in log["evidence_refs"]}
    records = {
        p.stem: json.loads(p.read_text("utf-8")) for p in left.claude.glob("evidence/ev-*.json")
    }
    assert named <= records.keys()
    for name, record in records.items():
        assert record["evidence_id"] == name
        raw = (left.claude / record["raw_logs"]).read_bytes()
        assert record["raw_evidence_refs"] == [f"sha256:{hashlib.sha256(raw).hexdigest()}"]
        place = re.fullmatch(r"raw/[^/]+/[^/]+_([^/_]+)\.log(\.\w+)?", record["raw_logs"])
        assert place is not None
        assert name.endswith(place[1])
        assert record["atomic_operation"] is True


def test_a_report_is_of_its_tasks(left: Disk) -> None:
    logs = {(log["session_id"], log["log_id"]): log for log in left.all_logs()}
    ran = 0
    for report in left.reports():
        for task in report["tasks"]:
            log = logs[report["session_id"], task["log_ref"]]
            assert log["task_id"] == task["task_id"]
            same = ("thread_id", "parent_task_id")
            assert {k: task[k] for k in same} == {k: log[k] for k in same}
            assert set(task["evidence_refs"]) <= set(log["evidence_refs"])
            assert {t["evidence_id"] for t in task["tests_run"]} <= set(log["evidence_refs"])
            ran += len(task["tests_run"])
    assert ran >= 4


def test_threads_say_who_worked(left: Disk) -> None:
    triggers: dict[str, set[str]] = {}
    for session in left.sessions():
        kinds = {
            t["thread_id"]: t["thread_type"]
            for t in json.loads((session / "threads.json").read_text("utf-8"))
        }
        for run in left.runs(session).values():
            triggers.setdefault(kinds[run["thread_id"]], set()).add(run["trigger"])
        for log in left.logs(session):
            assert (kinds[log["thread_id"]] == "background") == (log["parent_task_id"] is not None)
    assert triggers["background"] == {"EXECUTOR"}
    assert triggers["main"] == {"USER_INPUT", "USER_RESPONSE"}
    assert "system" in triggers


def test_nothing_runs_any_more(left: Disk) -> None:
    state = left.read(".claude/repl.json")
    assert state["current_task_id"] is None
    ended = max(left.all_logs(), key=lambda log: log["ended_at"])
    assert state["last_task_id"] == ended["task_id"]


def test_the_writer_in_the_directory_holds_a_lock(left: Disk) -> None:
    owner = left.read(".pm-orchestrator/runtime/state/owners/executing.json")
    lock = owner["lock"]
    assert list(problems(lock, "FileLock", "lock")) == []
    assert (lock["file_path"], lock["lock_type"]) == (str(left.root), "WRITE")
