"""The records have the fields of the specification: none missing, none besides but those listed."""

from enum import StrEnum
from typing import get_args

import msgspec
import pytest

from pm_orchestrator.cli.commands.sessions.repl import command as repl_command
from pm_orchestrator.domain.history import repl_state, report, session, task_log
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks import evidence_record as evidence, status, task
from pm_orchestrator.domain.tasks.file_lock import FileLock, LockType
from pm_orchestrator.domain.tasks.phase import Phase

FIELDS: dict[type[Record], str] = {
    session.Session: (
        "session_id started_at target_project runner_version configuration current_phase status "
        "continuation_approved limit_violations selected_provider selected_model"
    ),
    session.Thread: "thread_id session_id thread_type created_at description",
    session.Run: "run_id thread_id session_id started_at completed_at status trigger",
    session.SessionMetadata: "session_id started_at threads runs",
    task.Task: (
        "task_id thread_id run_id parent_task_id description requirements status "
        "assigned_executor evidence_refs files_modified tests_run "
        "tests_required_before_implementation granularity_limits "
        "decomposition_approved_by_runner log_ref"
    ),
    task.TaskResult: (
        "task_id status started_at completed_at error evidence clarification_needed "
        "clarification_question"
    ),
    evidence.Evidence: (
        "evidence_id timestamp operation_type executor_id artifacts hash raw_logs "
        "atomic_operation raw_evidence_refs integrity_validated contains_sensitive_data"
    ),
    FileLock: "lock_id file_path holder_executor_id acquired_at expires_at lock_type",
    # The specification calls it ExecutionResult; there is another of that name.
    report.RunReport: (
        "overall_status tasks evidence_summary next_action next_action_reason violations "
        "session_id incomplete_task_reasons evidence_inventory speculative_language_detected "
        "selected_provider selected_model"
    ),
    task.TaskLimits: "max_files max_tests max_seconds",
    task.LimitViolation: "limit_type limit_value actual_value timestamp resolution_required",
    evidence.EvidenceInventory: (
        "total_evidence_items missing_evidence_operations integrity_failures raw_evidence_files"
    ),
    repl_state.ReplState: (
        "selected_provider selected_model updated_at current_task_id last_task_id"
    ),
    task_log.TaskLogIndex: "session_id created_at updated_at entries",
    task_log.TaskLogEntry: (
        "task_id external_task_id thread_id run_id parent_task_id status started_at completed_at "
        "duration_ms files_modified_count tests_run_count log_file"
    ),
    evidence.EvidenceSummary: (
        "files_expected files_verified files_missing verification_passed verification_reason "
        "verified_files"
    ),
    evidence.VerifiedFile: "path exists detected_at detection_method",
    evidence.ArtifactList: (
        "files_touched files_expected files_created files_modified files_deleted"
    ),
    task_log.TaskLog: (
        "task_id session_id status started_at ended_at prompt_summary runner_decision "
        "error_reason artifacts visibility masked events thread_id run_id parent_task_id "
        "created_at executor_summary evidence_summary summary evidence_refs verification_root "
        "verified_files executor_blocked blocked_reason timeout_ms terminated_by"
    ),
    task_log.LogEvent: "event_type timestamp visibility_level content",
    task_log.TaskLogSummary: (
        "total_events summary_events full_events total_tokens_input total_tokens_output "
        "total_latency_ms"
    ),
}
ADDED: dict[type[Record], set[str]] = {
    # The file's name, where the specification gives two meanings to `task_id`. The rest is
    # written only where a person's word stands for a proof, which is never hidden.
    task_log.TaskLog: {"log_id", "accepted"},
    task_log.TaskLogEntry: {"accepted"},
    report.RunReport: {"accepted"},
}
VERDICTS = "COMPLETE INCOMPLETE ERROR INVALID NO_EVIDENCE"
VALUES: dict[type[StrEnum], str] = {
    status.TaskStatus: VERDICTS,
    status.OverallStatus: VERDICTS,
    Phase: (
        "REQUIREMENT_ANALYSIS TASK_DECOMPOSITION PLANNING EXECUTION QA COMPLETION_VALIDATION REPORT"
    ),
    session.ThreadType: "main background system",
    session.RunStatus: "RUNNING COMPLETED FAILED CANCELLED",
    session.RunTrigger: "USER_INPUT USER_RESPONSE CONTINUATION EXECUTOR",
    task_log.TaskLogStatus: "queued running complete incomplete error",
    task_log.LogEventType: (
        "USER_INPUT RUNNER_CLARIFICATION USER_RESPONSE TASK_STARTED TASK_COMPLETED "
        "TASK_INCOMPLETE TASK_ERROR EVIDENCE_MISSING LLM_MEDIATION_REQUEST "
        "LLM_MEDIATION_RESPONSE EXECUTOR_DISPATCH EXECUTOR_OUTPUT EXECUTOR_BLOCKED "
        "FILE_OPERATION TEST_EXECUTION"
    ),
    task_log.BlockedReason: "INTERACTIVE_PROMPT TIMEOUT STDIN_REQUIRED",
    task_log.TerminatedBy: "REPL_FAIL_CLOSED USER TIMEOUT",
    task_log.VisibilityLevel: "summary full",
    LockType: "READ WRITE",
}


@pytest.mark.parametrize("kind", FIELDS, ids=lambda kind: kind.__name__)
def test_a_record_has_the_specified_fields(kind: type[Record]) -> None:
    fields = {field.encode_name for field in msgspec.structs.fields(kind)}
    assert fields == set(FIELDS[kind].split()) | ADDED.get(kind, set())


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_an_enumeration_has_the_specified_values(kind: type[StrEnum]) -> None:
    assert [member.value for member in kind] == VALUES[kind].split()


def test_the_providers_are_the_specified_ones() -> None:
    assert get_args(repl_state.Provider) == ("claude-code", "openai", "anthropic")


def test_repl_is_called_with_the_options_of_repl_config() -> None:
    places = "project project_mode project_root print_project_path"
    waits = "non_interactive exit_on_eof wait"
    assert {*places.split(), *waits.split()} <= {option.name for option in repl_command.params}
