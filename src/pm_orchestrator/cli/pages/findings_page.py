"""What a person may want to look at after a task. None of it changes the verdict."""

from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.judging.finding import OddFinding

LISTED = 8
SILENT = frozenset({"saved"})
"""Not odd: where the files from before the task are, for `undo`."""


def show_findings(screen: Screen, findings: tuple[OddFinding, ...]) -> None:
    """List them, the first few by name."""
    shown = [finding for finding in findings if finding.kind not in SILENT]
    if not shown:
        return
    screen.line(say("worth_a_look", screen.lang))
    for finding in shown[:LISTED]:
        screen.line("  ! " + say(f"odd_{finding.kind}", screen.lang, path=_one_line(finding.path)))
    if len(shown) > LISTED:
        screen.line("  " + say("odd_more", screen.lang, count=len(shown) - LISTED))


def _one_line(path: str) -> str:
    """A file may be called anything; a name must not steer the terminal."""
    return "".join(c if c.isprintable() else "?" for c in path)
