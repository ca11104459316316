"""What stands below the verdict: the agent's last words, the files, the gates, what was spent.

Every line is indented, and no line of the summary is, so a script can tell the two apart,
whatever an agent says.
"""

from collections.abc import Sequence
from typing import Protocol

from pm_orchestrator.cli.pages.ends.spent_words import spent_words
from pm_orchestrator.cli.terminal.paint import Paint, mark_paint
from pm_orchestrator.domain.catalogue.reasons import reason_text
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.history.report import Spent
from pm_orchestrator.domain.judging.gate import GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.line_changes import ChangedLines
from pm_orchestrator.domain.text import Lang

INDENT = "  "
QUOTE = f"{INDENT}  │ "
LISTED = 12
"""Files; the rest is counted."""
WORDS = 12
"""Lines of the agent's words; the log has all of them."""
FAILED_TESTS = 8
MARKS = {
    GateVerdict.PASS: "✓",
    GateVerdict.FAIL: "✗",
    GateVerdict.COULD_NOT_RUN: "!",
}
COUNTED = {
    "gates_passed": GateVerdict.PASS,
    "gates_failed": GateVerdict.FAIL,
    "gates_not_run": GateVerdict.COULD_NOT_RUN,
}
MINUTE = 60
COMMA: dict[Lang, str] = {"en": ", ", "ja": "、"}


class EndTold(Protocol):
    """What is told of an end, at once or later."""

    @property
    def words(self) -> str: ...
    @property
    def lines(self) -> tuple[ChangedLines, ...]: ...
    @property
    def unlisted_changes(self) -> int: ...
    @property
    def gates(self) -> GateReport | None: ...
    @property
    def spent(self) -> Spent: ...


def end_details(end: EndTold, lang: Lang, width: int | None, logs: str, diff: str) -> list[str]:
    """The lines, or none; `logs` and `diff` are the commands that show more of it."""
    page: list[str] = []
    page += words_lines(end.words, lang, width, logs)
    page += _files(end.lines, end.unlisted_changes, lang, diff)
    page += gates_lines(end.gates, lang, width)
    page += spent_line(end.spent, lang)
    return page


def words_lines(
    words: str, lang: Lang, width: int | None, logs: str, most: int | None = WORDS
) -> list[str]:
    """The agent's words, set off so that nothing in them can be taken for ours."""
    if not words.strip():
        return []
    room = None if width is None else max(20, width - len(QUOTE))
    lines = [piece for line in words.strip().splitlines() for piece in _fitted(line, room)]
    page = [INDENT + tell("end_words", lang), *(f"{QUOTE}{line}".rstrip() for line in lines[:most])]
    if most is not None and len(lines) > most:
        more = tell("end_words_more", lang, count=len(lines) - most, logs=logs)
        page.append(f"{INDENT}  {more}")
    return page


def _files(files: tuple[ChangedLines, ...], unlisted: int, lang: Lang, diff: str) -> list[str]:
    if not files:
        return []
    from pm_orchestrator.cli.pages.ends.file_lines import file_lines, files_heading

    page = [INDENT + files_heading(files, unlisted, lang)]
    page += [f"{INDENT}  {line}" for line in file_lines(files[:LISTED], lang)]
    more = len(files) - LISTED + unlisted
    if more > 0:
        page.append(f"{INDENT}  {tell('end_files_more', lang, count=more, diff=diff)}")
    return page


def gates_lines(gates: GateReport | None, lang: Lang, width: int | None = None) -> list[str]:
    """How many gates ended in which way, and each with its tests."""
    results = () if gates is None else gates.results
    # One that the project does not have, or that this change does not call for, said nothing.
    ran = [gate for gate in results if gate.verdict is not GateVerdict.ABSENT]
    if not ran:
        return []
    counts = [
        tell(key, lang, count=count)
        for key, verdict in COUNTED.items()
        if (count := sum(gate.verdict is verdict for gate in ran))
    ]
    page = [INDENT + tell("end_gates", lang, counts=COMMA[lang].join(counts))]
    for gate in ran:
        page += _gate(gate, lang, width)
    return page


def _gate(gate: GateResult, lang: Lang, width: int | None) -> list[str]:
    from pm_orchestrator.cli.terminal.text_width import plain_line

    said = [gate.kind]
    if gate.verdict is GateVerdict.COULD_NOT_RUN and gate.reason_key is not None:
        said.append(reason_text(gate.reason_key, {"gate": gate.kind}, lang))
    else:
        said += _tests(gate, lang)
        if gate.command:
            said.append(plain_line(" ".join(gate.command)))
        said.append(tell("spent_seconds", lang, count=f"{gate.duration_ms / 1000:.1f}"))
    room = None if width is None else max(20, width - len(INDENT) - 4)
    first, *rest = _fitted(" · ".join(said), room)
    page = [f"{INDENT}  {MARKS[gate.verdict]} {first}", *(f"{INDENT}    {line}" for line in rest)]
    failed = gate.failed_tests or ()
    page += [f"{INDENT}      {plain_line(name)}" for name in failed[:FAILED_TESTS]]
    if len(failed) > FAILED_TESTS:
        page.append(f"{INDENT}      …")
    return page


def _tests(gate: GateResult, lang: Lang) -> list[str]:
    if gate.tests is None:
        return []
    failed = len(gate.failed_tests or ())
    if failed:
        return [tell("tests_failed", lang, failed=failed, count=gate.tests)]
    return [tell("tests_passed", lang, count=gate.tests)]


def spent_line(spent: Spent, lang: Lang) -> list[str]:
    """Time, tokens and money, as far as they are known."""
    parts: list[str] = []
    minutes, seconds = divmod(spent.seconds, MINUTE)
    if minutes:
        parts.append(tell("spent_minutes", lang, minutes=minutes, seconds=seconds))
    elif seconds:
        parts.append(tell("spent_seconds", lang, count=seconds))
    parts += spent_words(spent, lang)
    if spent.unpriced_tokens and spent.cost_usd is None:
        parts.append(tell("spent_no_price", lang))
    elif spent.unpriced_tokens:
        parts.append(tell("spent_unpriced", lang, count=f"{spent.unpriced_tokens:,}"))
    return [INDENT + tell("end_spent", lang, spent=COMMA[lang].join(parts))] if parts else []


def details_paint(line: str) -> Paint | None:
    """By the marks that are ours."""
    if line.startswith(QUOTE.rstrip()):
        return Paint.DIM
    return mark_paint(line)


def _fitted(line: str, room: int | None) -> Sequence[str]:
    from pm_orchestrator.cli.terminal.text_width import plain_line, wrapped

    text = line.replace("\t", "    ").rstrip()
    return [plain_line(text)] if room is None else wrapped(text, room)
