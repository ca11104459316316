"""Below a task's log: what its agent said last, and what its gates printed where they failed."""

from pm_orchestrator.cli.pages.ends.end_details import QUOTE, gates_lines, words_lines
from pm_orchestrator.cli.terminal.text_width import plain_line
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.judging.gate import GateReport, GateVerdict
from pm_orchestrator.domain.text import Lang

LAST_LINES = 30
"""Of what a gate printed: where test runners say what failed."""
PRINTED = (GateVerdict.FAIL, GateVerdict.COULD_NOT_RUN)


def told_lines(words: str, gates: GateReport | None, lang: Lang) -> list[str]:
    """The lines, or none; all of the agent's words, as there is no place that has more."""
    page = [*words_lines(words, lang, None, "", None), *gates_lines(gates, lang)]
    page += _printed(gates, lang)
    return ["", *page] if page else []


def _printed(gates: GateReport | None, lang: Lang) -> list[str]:
    page: list[str] = []
    for gate in () if gates is None else gates.results:
        lines = gate.output.strip().splitlines()
        if gate.verdict not in PRINTED or not lines:
            continue
        key = "gate_printed_last" if len(lines) > LAST_LINES else "gate_printed"
        page.append("  " + tell(key, lang, gate=gate.kind, count=LAST_LINES))
        page += [f"{QUOTE}{plain_line(line)}".rstrip() for line in lines[-LAST_LINES:]]
    return page
