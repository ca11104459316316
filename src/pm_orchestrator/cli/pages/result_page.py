"""The end of a run for a person: what was proved, what was refused, where to look."""

from pathlib import Path

from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.history.report import RunResult, WorkResult
from pm_orchestrator.domain.judging.gate import GateVerdict
from pm_orchestrator.domain.tasks.status import ACCEPTED, SHOWN, TaskStatus
from pm_orchestrator.domain.text import Lang

LISTED = 8
GOOD = (GateVerdict.PASS, GateVerdict.ABSENT)


def result_page(result: RunResult, lang: Lang) -> list[str]:
    """The verdict with everything it rests on."""
    shown = SHOWN[result.status]
    word = shown if shown is result.status else f"{shown} ({result.status})"
    word = ACCEPTED if result.is_accepted else word
    page = ["", f"{word}  {result.run_id}  {result.ticket_id}", ""]
    if result.status is TaskStatus.COMPLETE:
        heading = "seen" if result.is_accepted else "proved"
        page += [say(heading, lang), *_proof(result, lang)]
    for work in result.work:
        page += _work(work, lang)
    if result.status is not TaskStatus.COMPLETE:
        page += ["", say("not_done", lang)]
        page += [f"  ✗ {ticket}: {why.say(lang)}" for ticket, why in result.left_out.items()]
        if not result.left_out:
            page.append(f"  ✗ {result.reason.say(lang)}")
    besides = _besides(result, lang)
    if besides:
        page += ["", *besides]
    if result.unenforced_limits:
        page += ["", say("unenforced", lang, names=", ".join(result.unenforced_limits))]
    return page


def _besides(result: RunResult, lang: Lang) -> list[str]:
    """What is kept, what is left to do, and what else a person should know."""
    lines = [say("note", lang, note=note.say(lang)) for note in result.notes]
    if result.kept_refs:
        shown = ", ".join(result.kept_refs[:LISTED])
        more = " …" if len(result.kept_refs) > LISTED else ""
        lines.append(say("kept_refs", lang, refs=shown + more))
    lines += [
        say("left_to_do", lang, run=result.run_id, what=what.say(lang))
        for what in result.left_to_do
    ]
    return lines


def _proof(result: RunResult, lang: Lang) -> list[str]:
    page: list[str] = []
    commit = ("" if result.gates is None else result.gates.commit)[:12]
    for gate in result.gates.results if result.gates is not None else ():
        if gate.verdict is GateVerdict.ABSENT and not result.changes:
            # Nothing was changed that it could have judged.
            continue
        said = say("proved_gates", lang, kind=gate.kind, verdict=gate.verdict, commit=commit)
        page.append(f"  {'✓' if gate.verdict in GOOD else '✗'} {said}")
    files = [f.path for f in result.summary.verified_files if f.exists]
    listed = ", ".join(files[:LISTED]) + (" …" if len(files) > LISTED else "")
    if files:
        page.append("  ✓ " + say("proved_files", lang, count=len(files), files=listed))
    inventory = result.report.evidence_inventory if result.report is not None else None
    if inventory is None:
        return page
    if inventory.integrity_failures or inventory.missing_evidence_operations:
        count = len(inventory.integrity_failures) + len(inventory.missing_evidence_operations)
        page.append("  ✗ " + say("evidence_broken", lang, count=count))
    else:
        page.append("  ✓ " + say("proved_evidence", lang, count=inventory.total_evidence_items))
    return page


def _work(work: WorkResult, lang: Lang) -> list[str]:
    mark = "✓" if work.status == "success" else "✗"
    line = say("proved_work", lang, ticket=work.ticket_id, title=work.title, status=work.status)
    refused = [
        "    ! "
        + say(
            "refused_claim",
            lang,
            attempt=refusal.attempt,
            claim=refusal.claim.summary,
            reason=refusal.reason.say(lang),
        )
        for refusal in work.refusals
    ]
    return [f"  {mark} {line}", *refused]


def commands_page(result: RunResult, project: Path, lang: Lang) -> list[str]:
    """Commands that show the same again, later."""
    page = [
        say("where_to_look", lang),
        f"  pm-orchestrator evidence verify --project {project}",
        f"  pm-orchestrator logs --project {project}",
    ]
    if result.review_id is not None:
        page.append(f"  pm-orchestrator review show {result.review_id} --project {project}")
    if result.branch is not None:
        page.append(f"  git -C {project} log --oneline --graph {result.branch}")
    return page
