"""The end of a run for a person: what was proved, what was refused, where to look."""

from pathlib import Path

from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.history.report import RunResult, WorkResult
from pm_orchestrator.domain.judging.gate import GateVerdict
from pm_orchestrator.domain.tasks.status import SHOWN, TaskStatus

LISTED = 8


def show_result(screen: Screen, result: RunResult) -> None:
    """Print the verdict with everything it rests on."""
    lang = screen.lang
    shown = SHOWN[result.status]
    word = shown if shown is result.status else f"{shown} ({result.status})"
    screen.line()
    screen.line(f"{word}  {result.run_id}  {result.ticket_id}")
    screen.line()
    if result.status is TaskStatus.COMPLETE:
        screen.line(say("proved", lang))
        _show_proof(screen, result)
    for work in result.work:
        _show_work(screen, work)
    if result.status is not TaskStatus.COMPLETE:
        screen.line()
        screen.line(say("not_done", lang))
        for ticket, why in result.left_out.items():
            screen.line(f"  ✗ {ticket}: {why.say(lang)}")
        if not result.left_out:
            screen.line(f"  ✗ {result.reason.say(lang)}")
    _show_besides(screen, result)
    if result.unenforced_limits:
        names = ", ".join(result.unenforced_limits)
        screen.line()
        screen.line(say("unenforced", lang, names=names))


def _show_besides(screen: Screen, result: RunResult) -> None:
    """What is kept, what is left to do, and what else a person should know."""
    lang = screen.lang
    lines = [say("note", lang, note=note.say(lang)) for note in result.notes]
    if result.kept_refs:
        shown = ", ".join(result.kept_refs[:LISTED])
        more = " …" if len(result.kept_refs) > LISTED else ""
        lines.append(say("kept_refs", lang, refs=shown + more))
    lines += [
        say("left_to_do", lang, run=result.run_id, what=what.say(lang))
        for what in result.left_to_do
    ]
    if lines:
        screen.line()
    for line in lines:
        screen.line(line)


def _show_proof(screen: Screen, result: RunResult) -> None:
    lang = screen.lang
    commit = ("" if result.gates is None else result.gates.commit)[:12]
    for gate in result.gates.results if result.gates is not None else ():
        if gate.verdict is GateVerdict.ABSENT and not result.changes:
            # Nothing was changed that it could have judged.
            continue
        screen.line(
            "  ✓ " + say("proved_gates", lang, kind=gate.kind, verdict=gate.verdict, commit=commit)
        )
    files = [f.path for f in result.summary.verified_files if f.exists]
    listed = ", ".join(files[:LISTED]) + (" …" if len(files) > LISTED else "")
    if files:
        screen.line("  ✓ " + say("proved_files", lang, count=len(files), files=listed))
    inventory = result.report.evidence_inventory if result.report is not None else None
    if inventory is None:
        return
    if inventory.integrity_failures or inventory.missing_evidence_operations:
        count = len(inventory.integrity_failures) + len(inventory.missing_evidence_operations)
        screen.line("  ✗ " + say("evidence_broken", lang, count=count))
    else:
        screen.line("  ✓ " + say("proved_evidence", lang, count=inventory.total_evidence_items))


def _show_work(screen: Screen, work: WorkResult) -> None:
    mark = "✓" if work.status == "success" else "✗"
    line = say(
        "proved_work", screen.lang, ticket=work.ticket_id, title=work.title, status=work.status
    )
    screen.line(f"  {mark} {line}")
    for refusal in work.refusals:
        screen.line(
            "    ! "
            + say(
                "refused_claim",
                screen.lang,
                attempt=refusal.attempt,
                claim=refusal.claim.summary,
                reason=refusal.reason.say(screen.lang),
            )
        )


def show_commands(screen: Screen, result: RunResult, project: Path) -> None:
    """Commands that show the same again, later."""
    screen.line(say("where_to_look", screen.lang))
    screen.line(f"  pm-orchestrator evidence verify --project {project}")
    screen.line(f"  pm-orchestrator logs --project {project}")
    if result.review_id is not None:
        screen.line(f"  pm-orchestrator review show {result.review_id} --project {project}")
    if result.branch is not None:
        screen.line(f"  git -C {project} log --oneline --graph {result.branch}")
