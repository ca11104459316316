"""What is printed the moment a task ends, the same in a conversation and in a pipe."""

import re
from typing import Literal

import msgspec

from pm_orchestrator.cli.terminal.paint import Paint, mark_paint
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.domain.tasks.status import SHOWN, TaskStatus
from pm_orchestrator.domain.text import Lang

SummaryFormat = Literal["block", "plain"]
FRAME = ("=== TASK SUMMARY ===", "====================")
RESULT_LABELS = ("[RESULT]", "RESULT:")
RESULTS: dict[str, Paint] = {TaskStatus.COMPLETE: Paint.GOOD, TaskStatus.ERROR: Paint.BAD}
"""Anything else is for a person to look at: what was accepted, too."""
SUPPOSED = LatePattern(
    r"(?<![\w./-])(?:probably|maybe|perhaps|presumably|might)(?![\w/-]|\.\w)"
    r"|おそらく|恐らく|たぶん|多分|かもしれ",
    re.IGNORECASE,
    needs="probably maybe perhaps presumably might おそらく 恐らく たぶん 多分 かもしれ",
)
"""Words of somebody who does not know; the name of a file is none."""
QUOTED = LatePattern(r"“[^”]*”|「[^」]*」")
CLAUSE = LatePattern(r"(?<=[.!?;])\s+|(?<=[。！？；])")


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """How one task ended."""

    task_id: str
    status: TaskStatus
    why: str
    hint: str | None = None
    """What would help, where somebody knows better than the general advice."""
    asks: bool = False
    """It stopped with a question."""
    acceptable: bool = False
    """A person may settle it."""
    accepted: bool = False
    """A person did: it is complete, and not by proof."""
    besides: tuple[str, ...] = ()
    """What a person should know beside the reason."""


def summary_text(summary: Summary, lang: Lang, form: SummaryFormat) -> str:
    """Result, task, what to do next, why, and a hint."""
    return _plain(summary, lang) if form == "plain" else _block(summary, lang)


def summary_paint(line: str) -> Paint | None:
    """The verdict by its word, and the rest by its marks."""
    label, _, word = line.partition(" ")
    if label in RESULT_LABELS:
        return RESULTS.get(word.strip(), Paint.OPEN)
    return Paint.DIM if line in FRAME else mark_paint(line)


def _block(summary: Summary, lang: Lang) -> str:
    return "\n".join(
        (
            FRAME[0],
            f"[RESULT]  {_result(summary, lang)}",
            f"[TASK]    {summary.task_id}",
            f"[NEXT]    {tell(_next(summary), lang, task=summary.task_id)}",
            f"[WHY]     {_why(summary, lang)}",
            f"[HINT]    {_hint(summary, lang)}",
            FRAME[1],
        )
    )


def _plain(summary: Summary, lang: Lang) -> str:
    """The short form: commands and nothing else beside the reason."""
    shown, logs = SHOWN[summary.status], f"/logs {summary.task_id}"
    head = (f"RESULT: {_result(summary, lang)}", f"TASK: {summary.task_id}")
    if shown is TaskStatus.COMPLETE:
        besides = (f"NOTE: {' '.join(note.split())}" for note in summary.besides)
        return "\n".join((*head, "NEXT: (none)", *besides, f"HINT: {logs}"))
    then = f"/accept {summary.task_id}" if summary.acceptable else logs
    return "\n".join((*head, f"NEXT: {then}", f"WHY: {_why(summary, lang)}", f"HINT: {logs}"))


def _result(summary: Summary, lang: Lang) -> str:
    shown = SHOWN[summary.status]
    return tell("result_accepted", lang) if summary.accepted else shown


def _next(summary: Summary) -> str:
    if summary.asks:
        return "next_reply"
    if summary.acceptable:
        return "next_accept"
    shown = SHOWN[summary.status]
    if shown is TaskStatus.COMPLETE:
        return "next_more"
    return "next_full_logs" if shown is TaskStatus.ERROR else "next_logs"


def _why(summary: Summary, lang: Lang) -> str:
    """One line, and nothing in it that somebody only supposes."""
    line = " ".join(summary.why.split())
    if SUPPOSED.search(line):
        line = _without_doubt(line)
    if not line:
        line = tell("why_asked" if summary.asks else "why_unproved", lang)
    return " ".join((line, *(word for note in summary.besides for word in note.split())))


def _without_doubt(line: str) -> str:
    """What is left of a reason without what somebody only supposes: our own words about it."""
    line = QUOTED.sub("“…”", line)
    return " ".join(c for c in CLAUSE.split(line) if c and not SUPPOSED.search(c)).strip()


def _hint(summary: Summary, lang: Lang) -> str:
    if summary.hint:
        return " ".join(summary.hint.split())
    if summary.status is TaskStatus.NO_EVIDENCE:
        return tell("hint_evidence", lang)
    complete = SHOWN[summary.status] is TaskStatus.COMPLETE
    return tell("hint_logs" if complete else "hint_precise", lang, task=summary.task_id)
