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
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, TRIPLE, TWO, calc_project
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.data.specified_records import PLACES, RUN, problems
from pm_orchestrator.testing.programs.called_program import Program, clean_environment
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_company import ScriptedCompany

pytestmark = pytest.mark.timeout(120)

Json = Any


class Disk:
    """Everything that lies below the Runner's two directories of a project."""

    def __init__(self, root: Path, program: Program) -> None:
        self.root = root
        self.program = program
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
    return Disk(root, program)


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
        assert metadata["started_at"] == state["started_at"] == index["created_at"]
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
    """R-30: both ids of a task are in the index, one to one."""
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
    """R-7, R-18: what a log names is there, one record and one raw log each."""
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


def test_what_init_made_is_on_record_line_by_line(left: Disk) -> None:
    (record,) = (
        made
        for path in left.claude.glob("evidence/ev-*.json")
        if (made := json.loads(path.read_text("utf-8")))["operation_type"] == "init_project"
    )
    lines = (left.claude / record["raw_logs"]).read_text("utf-8").splitlines()
    made = [line.removeprefix("created ") for line in lines]
    assert ".claude/settings.json" in made
    assert all((left.root / name).exists() for name in made)


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


def company_session(left: Disk) -> tuple[str, list[Json]]:
    """The session in which a task was split, and the logs of its parts."""
    logs = {s.name: left.logs(s) for s in left.sessions()}
    found = {s: [log for log in of if log["parent_task_id"]] for s, of in logs.items()}
    return next((s, parts) for s, parts in found.items() if parts)


def test_only_the_runner_makes_parts(left: Disk) -> None:
    """R-13, E-2, E-3: the parts are those the Runner approved on record, and share no file."""
    _, parts = company_session(left)
    backlog = sorted((left.root / ".pm-orchestrator/workflows/backlog").glob("*.md"))
    tickets = [log["task_id"] for log in parts]
    assert [page.stem for page in backlog] == tickets
    (whole,) = {log["parent_task_id"] for log in parts}
    report = next(r for r in left.reports() if r["tasks"][0]["task_id"] == whole)
    assert [task["task_id"] for task in report["tasks"]] == [whole, *tickets]
    assert all(task["decomposition_approved_by_runner"] for task in report["tasks"])
    records = (
        left.read(f".claude/evidence/{ref}.json") for ref in report["tasks"][0]["evidence_refs"]
    )
    (decided,) = [r for r in records if r["operation_type"] == "step_decompose"]
    raw = (left.claude / decided["raw_logs"]).read_text("utf-8")
    assert all(ticket in raw for ticket in tickets)
    touched = [set(log["artifacts"]["files_touched"]) for log in parts]
    assert touched[0].isdisjoint(touched[1])


def test_the_tree_shows_parts_below_the_background_executor(left: Disk) -> None:
    """R-25 Thread/Run Hierarchy: parts have their place, and their words only when asked for."""
    session, parts = company_session(left)
    at = ("--project", str(left.root), "--session", session)
    tree = left.program("logs", "--tree", *at).out
    below = tree.partition("(background executor)")[2]
    assert all(f"{log['log_id']} [COMPLETE]" in below for log in parts)
    assert below.count("(executor output - hidden in summary)") == len(parts)
    assert DOUBLE.title not in tree
    assert DOUBLE.title in left.program("logs", "--tree", "--full", *at).out


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
