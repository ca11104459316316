"""The one thing to do about each reason against COMPLETE."""

import re

from pm_orchestrator.domain.catalogue.reasons import objections
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.text import Lang

NAMED = 3
UNSAFE = re.compile(r"[^\w .,:;/+@=\[\]-]")
"""A name from the work stands in a command that a person may copy into a shell."""
MINUTE = 60
OPTIONS = {"files": "files", "seconds": "minutes"}
SETTINGS = {
    "files": "task_limits.files",
    "seconds": "task_limits.seconds",
    "tests": "task_limits.tests",
    "tokens": "budgets.tokens",
}
"""Where a limit is set for every task."""


def cure_of(end: RunResult, reason: Reason, lang: Lang) -> str | None:
    """What helps against `reason` at this end of a task; None for what needs no cure.

    Commands are named as a shell takes them, between backticks.
    """
    objected = objections().get(reason.key)
    if objected is None:
        return None
    text = objected.cure
    if end.work and objected.in_company is not None:
        text = objected.in_company
    params = {
        "gate": "test",
        **{name: _safe(value) for name, value in reason.params.items()},
        "task": end.task_id,
        "which": _which(end, reason),
        "minutes": str(_more_minutes(reason)),
        "more": _more(end, lang),
    }
    return text.say(lang, **params)


def _which(end: RunResult, reason: Reason) -> str:
    """The tests that failed, or else the gate that did."""
    gate = reason.params.get("gate", "test")
    results = end.gates.results if end.gates is not None else ()
    names = [name for r in results if r.kind == gate for name in r.failed_tests or ()]
    more = " …" if len(names) > NAMED else ""
    return _safe(", ".join(names)) + more if names else gate


def _more_minutes(reason: Reason) -> int:
    """Twice of what was not enough."""
    seconds = int(reason.params.get("seconds", "0"))
    return max(1, -(-2 * seconds // MINUTE))


def _more(end: RunResult, lang: Lang) -> str:
    """What would have let it do as much as it did: an option where there is one."""
    options: list[str] = []
    settings: list[str] = []
    # A company has several executors, and no option for the time of one.
    raised = {"files": "files"} if end.work else OPTIONS
    for violation in end.violations:
        name, most = violation.limit_type, violation.actual_value
        if name in raised:
            count = most if name == "files" else -(-most // MINUTE)
            options.append(f"--max-{raised[name]} {count}")
        else:
            setting = SETTINGS[name.partition(" ")[0]]
            settings.append(tell("more_setting", lang, name=setting, count=most))
    run = ["run", "INSTRUCTION", *(() if end.work else ("--solo",)), *options]
    call = [f"`pm-orchestrator {' '.join(run)}`"] if options else []
    return ", ".join((*call, *settings)) or "task_limits"


def _safe(value: str) -> str:
    """Names as they can stand between quotation marks in any shell, the first few of them."""
    names = value.partition(" …")[0].split(", ")[:NAMED]
    shown = (UNSAFE.sub("?", name) for name in names)
    return ", ".join(f"./{name}" if name.startswith("-") else name for name in shown)
