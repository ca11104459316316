"""What records say about themselves."""

import pytest
from msgspec.structs import replace

from pm_orchestrator.domain.catalogue.messages import MESSAGES, say
from pm_orchestrator.domain.catalogue.reasons import all_reasons
from pm_orchestrator.domain.company.assignment import Assignment
from pm_orchestrator.domain.history.report import WorkStatus, quality_gates, work_status
from pm_orchestrator.domain.judging.gate import GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import (
    Facts,
    FileChange,
    Reason,
    VerifiedOutcome,
    gone_files,
    rightly_gone,
)
from pm_orchestrator.domain.record import MalformedRecordError, from_json, to_json
from pm_orchestrator.domain.setup.settings import TaskLimitSettings, default_settings
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import SubTask, TaskLimits
from pm_orchestrator.testing.data.any_record import sample

PLAIN_REASON = next(key for key, text in sorted(all_reasons().items()) if "{" not in text.en)


def gates(lint: GateVerdict, test: GateVerdict | None = None) -> GateReport:
    results = [GateResult(kind="lint", verdict=lint, output="l")]
    if test is not None:
        results.append(GateResult(kind="test", verdict=test, output="t"))
    return GateReport(commit="c", results=tuple(results))


def test_a_gate_that_did_not_run_is_absent() -> None:
    report = gates(GateVerdict.PASS)
    assert report.verdict("lint") is GateVerdict.PASS
    assert report.verdict("test") is GateVerdict.ABSENT


@pytest.mark.parametrize(
    ("report", "lint", "test", "overall"),
    [
        (None, False, False, False),
        (gates(GateVerdict.PASS), True, False, True),
        (gates(GateVerdict.PASS, GateVerdict.PASS), True, True, True),
        (gates(GateVerdict.PASS, GateVerdict.FAIL), True, False, False),
        (gates(GateVerdict.COULD_NOT_RUN, GateVerdict.PASS), False, True, False),
    ],
)
def test_booleans_are_true_only_for_pass(
    report: GateReport | None, lint: bool, test: bool, overall: bool
) -> None:
    found = quality_gates(report)
    assert (found.lint.passed, found.test.passed, found.overall) == (lint, test, overall)


@pytest.mark.parametrize(
    ("status", "test", "word"),
    [
        (TaskStatus.COMPLETE, GateVerdict.PASS, "success"),
        (TaskStatus.INCOMPLETE, GateVerdict.FAIL, "quality_failed"),
        (TaskStatus.INCOMPLETE, GateVerdict.PASS, "partial"),
        (TaskStatus.NO_EVIDENCE, GateVerdict.PASS, "error"),
        (TaskStatus.ERROR, GateVerdict.PASS, "error"),
        (TaskStatus.INVALID, GateVerdict.PASS, "error"),
    ],
)
def test_the_engines_word_for_a_verdict(
    status: TaskStatus, test: GateVerdict, word: WorkStatus
) -> None:
    assert work_status(status, quality_gates(gates(GateVerdict.PASS, test))) == word


def test_a_reason_must_be_in_the_catalogue() -> None:
    with pytest.raises(ValueError, match="unknown reason"):
        Reason(key="no such reason")
    with pytest.raises(MalformedRecordError, match="unknown reason"):
        from_json(Reason, b'{"key": "no such reason"}')


def test_an_outcome_says_why_in_both_languages() -> None:
    facts = Facts(commit=None, changes=(), expected_files=(), missing_files=(), gates=None)
    outcome = VerifiedOutcome(
        status=TaskStatus.INCOMPLETE, reason_key=PLAIN_REASON, reason_params={}, facts=facts
    )
    for lang in ("en", "ja"):
        assert (
            outcome.reason(lang)
            == outcome.because().say(lang)
            == all_reasons()[PLAIN_REASON].say(lang)
        )


def test_messages_are_looked_up_by_key() -> None:
    assert say("created", "en", path="x") == MESSAGES["created"].say("en", path="x")


def test_an_attempt_has_its_own_name() -> None:
    sub = SubTask(
        ticket="20260115-0a1b-02",
        parent_id="20260115-0a1b",
        title="t",
        description="",
        acceptance_criteria=(),
        expected_files=(),
    )
    simple = from_json(Assignment, to_json(sample(Assignment)))
    assert replace(simple, sub_task=sub, attempt=2).agent == "worker/02/2"


def test_a_file_that_moved_is_gone_from_its_old_place() -> None:
    changes = (
        FileChange(path="new.py", kind="renamed", size=1, previous_path="old.py"),
        FileChange(path="dead.py", kind="deleted", size=0),
        FileChange(path="made.py", kind="created", size=1),
    )
    assert gone_files(changes) == {"old.py", "dead.py"}


def test_what_a_task_is_about_must_not_be_gone() -> None:
    deleted = FileChange(path="a.js", kind="deleted", size=0)
    made = FileChange(path="a.ts", kind="created", size=1)
    moved = FileChange(path="a.ts", kind="renamed", size=1, previous_path="a.js")
    assert rightly_gone((deleted,), ()) == {"a.js"}
    assert rightly_gone((deleted,), ("a.js",)) == set()
    assert rightly_gone((deleted, made), ("a.js",)) == set()
    assert rightly_gone((deleted, made), ("a.js", "a.ts")) == {"a.js"}
    assert rightly_gone((moved,), ("a.js", "a.ts")) == {"a.js"}
    assert rightly_gone((moved,), ("a.js",)) == set()


def test_the_default_settings_are_the_documented_ones() -> None:
    settings = default_settings()
    limits = TaskLimits(max_files=20, max_tests=50, max_seconds=900)
    assert settings.task_limits.limits() == limits, "what `init` writes"
    unsaid = TaskLimits(max_files=5, max_tests=10, max_seconds=300)
    assert TaskLimitSettings().limits() == unsaid
    assert (settings.parallel_limits.subagents, settings.parallel_limits.executors) == (9, 4)
    assert (settings.evidence_settings.retention_days, settings.company.max_workers) == (30, 3)
