"""One task's log laid out for people: the events a reader may see, every one masked.

What is stored was masked when it was saved; it is masked again where it is shown. Where
that fails the entry is hidden, and the page says so.
"""

from collections.abc import Callable
from typing import Any, cast

from pm_orchestrator.cli.pages.logs.log_pages import blocked_line, word_of
from pm_orchestrator.cli.terminal.text_width import SEPARATOR
from pm_orchestrator.domain.history.task_log import LogEvent, TaskLog, VisibilityLevel

Mask = Callable[[str], str]
HIDDEN = "(hidden: it could not be masked)"
QUOTED = ("text", "question", "response")
"""What somebody said: shown in quotation marks, first."""
LISTED = 20
LONGEST = 2000
COMMAS = {"command": " "}
"""What stands between the items of a list."""
RENAMED = {
    "target_file": "Target",
    "evidence_ref": "Evidence",
    "files_modified": "Files modified",
    "exit_code": "Exit code",
}


def visible(log: TaskLog, level: str) -> list[LogEvent]:
    """The events of a level; one that nobody knows shows no more than the summary."""
    full = level == VisibilityLevel.FULL
    return [e for e in log.events if full or e.visibility_level is VisibilityLevel.SUMMARY]


def task_page(log: TaskLog, mask: Mask, level: str = VisibilityLevel.SUMMARY) -> str:
    """What was asked, what was found, and what happened."""
    events = [_event(event, mask) for event in visible(log, level)]
    failed = any(line.strip() == HIDDEN for lines in events for line in lines)
    word = word_of(log)
    heading = f"Task Log: {log.log_id} - {word}  [{log.task_id}]"
    heading += " (FULL)" if level == VisibilityLevel.FULL else ""
    page = [heading + (" (MASKING FAILED)" if failed else "")]
    page += [f"Status: {word}", f"Decision: {log.runner_decision}"]
    page += [f"Why: {_masked(log.error_reason, mask)}"] if log.error_reason else []
    page += [f"Accepted by a person: {', '.join(log.accepted)}"] if log.accepted else []
    page += blocked_line(log)
    page += [
        f"File: {_masked(f.path, mask)} ({'there' if f.exists else 'gone'})"
        for f in log.verified_files[:LISTED]
    ]
    if len(log.verified_files) > LISTED:
        page.append(f"File: … ({len(log.verified_files) - LISTED} more)")
    page.append(f"Evidence: {_records(len(log.evidence_refs))}")
    for lines in events:
        page += ["", *lines]
    return "\n".join(page)


def event_line(event: LogEvent) -> str:
    """What happened, in one line; the words are masked where they are printed."""
    return SEPARATOR.join((_name(event), *_content(event)))


def _event(event: LogEvent, mask: Mask) -> list[str]:
    time = event.timestamp[:19].replace("T", " ")
    text = _masked("\n".join(_content(event)), mask)
    return [f"[{time}] {_name(event)}", *(f"  {line}" for line in text.splitlines())]


def _name(event: LogEvent) -> str:
    return str(event.event_type).replace("_", " ")


def _content(event: LogEvent) -> list[str]:
    # As it is stored: a page shows also what this version has no name for.
    fields = event.content.items()
    lines = [f'"{_printable(text)}"' for key, text in fields if key in QUOTED]
    lines += [
        f"{RENAMED.get(key, _label(key))}: {_value(value, COMMAS.get(key, ', '))}"
        for key, value in fields
        if key not in QUOTED and value not in (None, "", [])
    ]
    return lines


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count} records"


def _masked(text: str, mask: Mask) -> str:
    try:
        return mask(text)
    except Exception:  # noqa: BLE001 - whatever the masker dies of, nothing unmasked is shown
        return HIDDEN


def _label(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _value(value: Any, comma: str) -> str:
    if isinstance(value, dict):
        parts = cast("dict[str, object]", value).values()
        return " ".join(_value(part, comma) for part in parts if part not in (None, "", []))
    if not isinstance(value, list):
        return _printable(value)
    items = cast("list[object]", value)
    more = len(items) - LISTED
    shown = comma.join(_value(item, comma) for item in items[:LISTED])
    return shown + (f"{comma}… ({more} more)" if more > 0 else "")


def _printable(value: object) -> str:
    """One line without anything that steers a terminal; long text is cut and says so."""
    text = " ".join(str(value).split())
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … ({len(text)} characters)"
