"""A project whose companies worked before a run could be resumed opens and is read as it is."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran

SESSION = "session-20260101-0a1b2c3d"
AT = "2026-01-01T09:00:0{}.000Z"
FILE = "calc/double.py"


class OlderProject:
    """Writes the records of that time, by hand."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._session = root / ".claude/logs/sessions" / SESSION
        self._runs = root / ".pm-orchestrator/runtime/runs"
        (self._session / "tasks").mkdir(parents=True)
        self._entries: list[dict[str, Any]] = []
        self._lines: list[dict[str, Any]] = []

    def task(self, number: int, status: str, *runs: int) -> None:
        """One task of a company; only the last of its `runs` is named in its records."""
        for run in runs:
            self._run(run, status)
        log_id, task_id = f"task-{number:03d}", f"task-176725800000{number}"
        complete = status == "complete"
        common = {
            "thread_id": "thr_001",
            "run_id": f"run_{runs[-1]:03d}",
            "parent_task_id": None,
            "status": status,
            "started_at": AT.format(runs[0]),
        }
        self._entries.append(
            {
                **common,
                "task_id": log_id,
                "external_task_id": task_id,
                "completed_at": AT.format(9),
                "duration_ms": 8000,
                "files_modified_count": int(complete),
                "tests_run_count": 0,
                "log_file": f"tasks/{log_id}.json",
            }
        )
        files = [FILE] if complete else []
        touched = {"files_touched": files, "files_expected": [FILE], "files_created": files}
        seen = [
            {"path": f, "exists": True, "detected_at": AT.format(8), "detection_method": "diff"}
            for f in files
        ]
        log = {
            **common,
            "task_id": task_id,
            "log_id": log_id,
            "session_id": SESSION,
            "ended_at": AT.format(9),
            "prompt_summary": f"Create {FILE}",
            "runner_decision": "accept" if complete else "reject",
            "error_reason": None if complete else "a file is missing",
            "artifacts": {**touched, "files_modified": [], "files_deleted": []},
            "visibility": "summary",
            "masked": True,
            "events": [
                _event("USER_INPUT", runs[0], text=f"Create {FILE}"),
                _event("TASK_STARTED", runs[0], action="start"),
                _event("TASK_COMPLETED" if complete else "TASK_INCOMPLETE", 9, status=status),
            ],
            "created_at": AT.format(runs[0]),
            "evidence_refs": [],
            "verification_root": str(self._root),
            "verified_files": seen,
            "evidence_summary": _evidence(complete, seen),
            "summary": {
                "total_events": 3,
                "summary_events": 3,
                "full_events": 0,
                "total_tokens_input": 0,
                "total_tokens_output": 0,
                "total_latency_ms": 0,
            },
        }
        _write(self._session / "tasks" / f"{log_id}.json", log)

    def _run(self, number: int, status: str) -> None:
        run = {
            "run_id": f"run_{number:03d}",
            "thread_id": "thr_001",
            "session_id": SESSION,
            "started_at": AT.format(number),
            "trigger": "USER_INPUT",
        }
        self._lines.append({**run, "completed_at": None, "status": "RUNNING"})
        self._lines.append({**run, "completed_at": AT.format(9), "status": "COMPLETED"})
        folder = self._runs / f"run_{number:03d}"
        folder.mkdir(parents=True)
        with sqlite3.connect(folder / "journal.db") as journal:
            journal.execute("PRAGMA user_version = 1")
        journal.close()
        event = {"sequence": 1, "timestamp": AT.format(number), "run_id": folder.name}
        event |= {"kind": "phase", "subject": "REQUIREMENT_ANALYSIS", "detail": {}}
        (folder / "events.jsonl").write_text(json.dumps(event) + "\n", "utf-8")
        _write(
            folder / "execution_result.json", _result(folder.name, complete=status == "complete")
        )

    def finish(self) -> None:
        """The lists of everything."""
        state: dict[str, Any] = {
            "session_id": SESSION,
            "started_at": AT.format(0),
            "target_project": str(self._root),
            "runner_version": "0.1.0",
            "configuration": json.loads((self._root / ".claude/settings.json").read_text("utf-8")),
            "current_phase": "REPORT",
            "status": "UNFINISHED",
            "continuation_approved": False,
            "limit_violations": [],
            "selected_provider": None,
            "selected_model": None,
        }
        _write(self._session / "session_state.json", state)
        thread = {"thread_id": "thr_001", "thread_type": "main"}
        more = {"session_id": SESSION, "created_at": AT.format(0), "description": None}
        _write(self._session / "threads.json", [thread | more])
        ended = [line for line in self._lines if line["status"] == "COMPLETED"]
        runs = [{name: line[name] for name in ("run_id", "thread_id", "status")} for line in ended]
        session = {"session_id": SESSION, "started_at": AT.format(0)}
        _write(self._session / "session.json", {**session, "threads": [thread], "runs": runs})
        lines = "".join(json.dumps(line) + "\n" for line in self._lines)
        (self._session / "runs.jsonl").write_text(lines, "utf-8")
        times = {"created_at": AT.format(0), "updated_at": AT.format(9)}
        index = {"session_id": SESSION, **times, "entries": self._entries}
        _write(self._session / "index.json", index)
        listed = {**session, "index_file": f"sessions/{SESSION}/index.json"}
        _write(self._root / ".claude/logs/index.json", {**times, "sessions": [listed]})

    def records(self) -> dict[str, bytes]:
        """Everything that was written, byte by byte."""
        found = (path for path in self._session.rglob("*.json*") if path.suffix != ".lock")
        return {path.name: path.read_bytes() for path in found}


def _event(kind: str, at: int, **content: str) -> dict[str, Any]:
    when = {"event_type": kind, "timestamp": AT.format(at)}
    return {**when, "visibility_level": "summary", "content": content}


def _evidence(complete: bool, seen: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "files_expected": [FILE],
        "files_verified": [FILE] if complete else [],
        "files_missing": [] if complete else [FILE],
        "verification_passed": complete,
        "verification_reason": "Verified." if complete else "A file is missing.",
        "verified_files": seen,
    }


def _result(run_id: str, *, complete: bool) -> dict[str, Any]:
    """What `execution_result.json` was then: its report was always there, its task never."""
    status = "COMPLETE" if complete else "INCOMPLETE"
    reason = {"key": "all_proved" if complete else "nothing_delivered"}
    params = {"count": "1"} if complete else dict[str, str]()
    return {
        "run_id": run_id,
        "ticket_id": "20260101-ab12",
        "status": status,
        "reason": {**reason, "params": params},
        "instruction": f"Create {FILE}",
        "branch": None,
        "commit": None,
        "changes": [],
        "gates": None,
        "left_out": {},
        "report": {
            "session_id": SESSION,
            "overall_status": status,
            "tasks": [],
            "evidence_summary": _evidence(complete, []),
            "next_action": True,
            "next_action_reason": "a person reviews and approves the run's branch",
            "violations": [],
            "incomplete_task_reasons": [],
            "evidence_inventory": {
                "total_evidence_items": 0,
                "missing_evidence_operations": [],
                "integrity_failures": [],
                "raw_evidence_files": [],
            },
            "speculative_language_detected": False,
            "selected_provider": None,
            "selected_model": None,
        },
        "work": [],
        "review_id": None,
        "unenforced_limits": [],
    }


def _write(path: Path, record: object) -> None:
    path.write_text(json.dumps(record, indent=2) + "\n", "utf-8")


@pytest.fixture
def older(project: Path) -> OlderProject:
    made = OlderProject(project)
    made.task(1, "complete", 1)
    # It went on in a second run.
    made.task(2, "incomplete", 2, 3)
    made.finish()
    return made


def test_an_older_project_is_read_as_it_is(
    program: Program, project: Path, older: OlderProject
) -> None:
    def call(*arguments: str) -> Ran:
        ran = program(*arguments, "--project", str(project))
        assert "Traceback" not in ran.out + ran.err
        return ran

    logs = call("logs", "--json")
    assert logs.code == 0, logs.err
    assert [entry["status"] for entry in logs.json] == ["complete", "incomplete"]
    assert call("logs", "task-002").code == 0
    runs = call("runs", "--json")
    assert runs.code == 0, runs.err
    assert [(run["run_id"], run["mode"], run["status"]) for run in runs.json] == [
        ("run_001", "company", "COMPLETE"),
        ("run_002", "company", "INCOMPLETE"),
        ("run_003", "company", "INCOMPLETE"),
    ]
    status = call("status", "--json")
    assert len(status.json["tasks"]) == 2, status.err
    for run, code in (("run_001", 0), ("run_002", 2), ("run_003", 2)):
        watched = call("watch", run)
        assert watched.code == code, watched.out + watched.err

    before = older.records()
    for command in ("resume run_001", "resume run_002", "resume run_003", "undo task-001"):
        refused = call(*command.split())
        assert (refused.code, refused.err[:12]) == (1, "ERROR E210: "), command
        assert "HINT" in refused.err
        assert "pm-orchestrator resume" not in refused.err
    assert older.records() == before
