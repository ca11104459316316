"""Every setting acts: it is read by the product, and a test shows what becomes of it.

A setting that does nothing is worse than none. So each has a row: how the product reads it,
in the words of the source, and the test that sees its effect. A new one without is red.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, get_args

import msgspec
import pytest

from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.setup.settings import Settings

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "pm_orchestrator"


class Row(NamedTuple):
    """How a setting is read, and which test sees what that does."""

    read: str
    test: str


ROWS = {
    "task_limits.files": Row("task_limits.limits()", "test_an_overrun_is_seen_and_waits"),
    "task_limits.tests": Row("task_limits.limits()", "test_an_overrun_is_seen_and_waits"),
    "task_limits.seconds": Row(
        "task_limits.seconds", "test_an_executor_gets_its_time_and_its_silence"
    ),
    "parallel_limits.subagents": Row(
        "parallel_limits.subagents", "test_no_more_think_than_the_settings_allow"
    ),
    "parallel_limits.executors": Row(
        "parallel_limits.executors", "test_no_more_write_than_the_settings_allow"
    ),
    "timeouts.deadlock_timeout_seconds": Row(
        "timeouts.deadlock_timeout_seconds",
        "test_a_lock_is_waited_for_as_long_as_the_settings_say",
    ),
    "timeouts.operation_timeout_seconds": Row(
        "timeouts.operation_timeout_seconds", "test_an_executor_gets_its_time_and_its_silence"
    ),
    "evidence_settings.retention_days": Row(
        "evidence_settings.retention_days",
        "test_how_long_is_asked_of_the_call_and_then_of_the_settings",
    ),
    "evidence_settings.compression_enabled": Row(
        "evidence_settings.compression_enabled",
        "test_long_raw_logs_are_compressed_where_the_settings_say_so",
    ),
    "company.max_workers": Row("company.max_workers", "test_a_company_works_with_its_settings"),
    "company.busy_minutes": Row(
        "company.busy_minutes", "test_a_busy_vendor_is_waited_for_as_long_as_the_settings_say"
    ),
    "company.max_attempts": Row(
        "company.max_attempts", "test_a_company_tries_no_longer_than_it_may"
    ),
    "company.max_turns": Row("company.max_turns", "test_a_company_tries_no_longer_than_it_may"),
    "company.adapter": Row(
        "company.adapter", "test_the_fallback_is_asked_when_the_first_model_fails"
    ),
    "company.executor": Row(
        "company.executor", "test_a_missing_cli_is_said_before_the_first_token"
    ),
    "company.message_queue": Row("company.message_queue", "test_settings_choose_what_was_added"),
    "company.engine": Row("company.engine", "test_settings_choose_what_was_added"),
    "company.forge": Row("company.forge", "test_settings_choose_what_was_added"),
    "company.model": Row("company.model", "test_a_company_works_with_its_settings"),
    "company.integration_branch": Row(
        "company.integration_branch", "test_a_finished_run_goes_into_the_integration_branch"
    ),
    "company.fallback.adapter": Row(
        "other.adapter", "test_the_fallback_is_asked_when_the_first_model_fails"
    ),
    "company.fallback.model": Row(
        "other.model", "test_the_fallback_is_asked_when_the_first_model_fails"
    ),
    "model_calls.temperature": Row("asked.temperature", "test_temperature_and_room_are_asked_for"),
    "model_calls.max_tokens": Row("asked.max_tokens", "test_temperature_and_room_are_asked_for"),
    "model_calls.ca_file": Row("settings.ca_file", "test_a_company_vouches_for_its_own_gateway"),
    "model_calls.headers": Row(
        "settings.headers",
        "test_a_gateway_of_the_company_is_asked_at_its_path_with_its_headers",
    ),
    "sandbox.runtime": Row("sandbox.runtime", "test_settings_choose_what_was_added"),
    "sandbox.memory_mb": Row("sandbox.memory_mb", "test_a_company_works_with_its_settings"),
    "sandbox.disk_mb": Row("sandbox.disk_mb", "test_a_company_works_with_its_settings"),
    "sandbox.cpus": Row("sandbox.cpus", "test_a_company_works_with_its_settings"),
    "sandbox.setup": Row("sandbox.setup", "test_what_was_installed_is_seen_and_stays_as_it_is"),
    "sandbox.setup_allowed": Row(
        "sandbox.setup_allowed",
        "test_nothing_reaches_the_network_before_somebody_has_said_yes",
    ),
    "executor.name": Row("config.settings.name", "test_settings_choose_what_was_added"),
    "executor.permission_mode": Row("settings.permission_mode", "test_settings_are_passed_on"),
    "executor.allowed_tools": Row("settings.allowed_tools", "test_settings_are_passed_on"),
    "executor.allowed_commands": Row(
        "executor.allowed_commands", "test_without_a_sandbox_only_allowed_commands_run"
    ),
    "executor.second_voice": Row("executor.second_voice", "test_nobody_is_asked_without_need"),
    "executor.preferences": Row("settings.preferences", "test_a_stored_preference_answers"),
    "gates.lint": Row("settings.lint", "test_settings_come_first_and_can_switch_a_gate_off"),
    "gates.test": Row("settings.test", "test_settings_come_first_and_can_switch_a_gate_off"),
    "gates.build": Row("configured.build", "test_a_build_of_the_settings_is_the_one_that_runs"),
    "gates.timeout_seconds": Row(
        "gates.timeout_seconds", "test_a_gate_has_the_time_of_the_settings"
    ),
    "budgets.tokens": Row("budgets.tokens", "test_it_is_stopped_as_soon_as_the_budget_is_used_up"),
    "budgets.usd": Row("budgets.usd", "test_the_settings_cap_runs_and_days"),
    "budgets.turns": Row("budgets.turns", "test_the_settings_cap_turns_and_minutes"),
    "budgets.minutes": Row("budgets.minutes", "test_the_settings_cap_turns_and_minutes"),
    "budgets.tokens_per_day": Row("budgets.tokens_per_day", "test_the_settings_cap_runs_and_days"),
    "budgets.usd_per_day": Row("budgets.usd_per_day", "test_the_settings_cap_runs_and_days"),
    "budgets.prices.input": Row("said.input", "test_the_settings_cap_runs_and_days"),
    "budgets.prices.output": Row("said.output", "test_the_settings_cap_runs_and_days"),
    "ui.summary_format": Row("ui.summary_format", "test_the_summary_stands_on_the_screen_at_once"),
    "ui.stream": Row("ui.stream", "test_the_settings_fold_what_the_executor_says"),
}


def settings_of(kind: type[Record], above: str = "") -> Iterator[str]:
    """The name of every setting, with the blocks around it."""
    for field in msgspec.structs.fields(kind):
        name = f"{above}{field.name}"
        blocks = [
            part
            for part in (field.type, *get_args(field.type))
            if isinstance(part, type) and issubclass(part, Record)
        ]
        if blocks:
            yield from settings_of(blocks[0], f"{name}.")
        else:
            yield name


def is_read(words: str, sources: list[str]) -> bool:
    """Whether the product says these words as code."""
    pattern = re.compile(rf"\b{re.escape(words)}(?!\w)")
    return any(pattern.search(source) for source in sources)


def code(path: Path) -> str:
    """The source without what is quoted in it: a sentence about a setting does not read it."""
    return re.sub(r'"[^"\n]*"', '""', path.read_text("utf-8"))


PRODUCT = [
    code(path)
    for path in sorted(SOURCE.rglob("*.py"))
    if path.relative_to(SOURCE).parts[0] != "testing" and path.name != "settings.py"
]
TESTS = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "tests").rglob("test_*.py")))


def test_every_setting_has_a_row() -> None:
    assert set(settings_of(Settings)) == ROWS.keys()


@pytest.mark.parametrize("setting", ROWS)
def test_a_setting_is_read_and_its_effect_is_seen(setting: str) -> None:
    row = ROWS[setting]
    assert is_read(row.read, PRODUCT), "nothing in the product reads it"
    assert re.search(rf"^(async )?def {row.test}\(", TESTS, re.MULTILINE), "there is no such test"


class Inner(Record, frozen=True, kw_only=True):
    """Planted."""

    b: int = 0


class Outer(Record, frozen=True, kw_only=True):
    """Planted."""

    a: int = 0
    inner: Inner
    maybe: Inner | None = None


def test_what_is_planted_is_found() -> None:
    assert set(settings_of(Outer)) == {"a", "inner.b", "maybe.b"}
    assert is_read("ui.form", ["x = app.ui.form\n"])
    assert not is_read("ui.form", ["x = app.ui.format\n", "x = form\n"])
