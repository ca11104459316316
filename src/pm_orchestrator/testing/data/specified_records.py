"""The records of `05`, written down from the specification, to hold what is on disk against.

None of this is taken from our own records: it says what another program that knows only the
specification may rely on.
"""

import re
from collections.abc import Iterator
from typing import Any, cast

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
        yield from _field_problems(value, RECORDS[kind], where)
    elif kind in {"bool", "int", "object"}:
        wanted = {"bool": bool, "int": int, "object": dict}[kind]
        if type(value) is not wanted:
            yield f"{where}: {value!r} is no {kind}"
    elif not isinstance(value, str) or not re.fullmatch(KINDS[kind], value):
        yield f"{where}: {value!r} is no {kind}"


def _field_problems(value: Json, fields: str, where: str) -> Iterator[str]:
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
