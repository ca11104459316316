"""What was odd about a task: reported, and proof of nothing."""

from collections.abc import Iterable

from pm_orchestrator.domain.history.log_contents import FileOperation
from pm_orchestrator.domain.judging.effect import IN_HISTORY, EffectKind
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.runner.run.facts import Wanted
from pm_orchestrator.runner.run.phases.observing import changes_history

MAKE_COMMITS: frozenset[EffectKind] = IN_HISTORY - {
    "branched",
    "switched",
    "tagged",
    "branch_gone",
    "tag_gone",
}
CHECK_OUT: frozenset[EffectKind] = frozenset({"branched", "switched"})


def edited_tests(
    changes: Iterable[FileChange], diluted: Iterable[Dilution]
) -> tuple[OddFinding, ...]:
    """Files of tests that the task changed, apart from those named as weaker already.

    An edit of a test is no fault; but a test says what it is made to say, so a person may
    want to look.
    """
    from pm_orchestrator.gates.compare.recognised_tests import is_test_file

    named = {finding.path for finding in diluted}
    return tuple(
        OddFinding(kind="test_edited", path=change.path, note=change.kind)
        for change in changes
        if change.kind != "created"
        and is_test_file(change.path)
        and not named & {change.path, change.previous_path}
    )


def unasked(findings: Iterable[OddFinding], wanted: Wanted) -> tuple[OddFinding, ...]:
    """Without what happened in the repository because it was asked for."""
    return tuple(found for found in findings if not _is_asked(found, wanted))


def _is_asked(found: OddFinding, wanted: Wanted) -> bool:
    kinds = {effect.kind for effect in wanted.effects}
    match found.kind:
        case "head_moved":
            return bool(kinds & MAKE_COMMITS)
        case "history_rewritten":
            return changes_history(wanted)
        case "branch_switched":
            # "Merge x into main" is done on main.
            at = {effect.at for effect in wanted.effects if effect.kind in MAKE_COMMITS}
            to = {effect.name for effect in wanted.effects if effect.kind in CHECK_OUT}
            return found.path in at | to or "" in to
        case _:
            return False


def noted_findings(findings: Iterable[OddFinding]) -> str:
    """Findings as evidence: one line each."""
    return "\n".join(f"{f.kind} {f.path} {f.note}".rstrip() for f in findings)


async def log_findings(log: OpenLog, findings: tuple[OddFinding, ...]) -> None:
    """Put findings into the task's log, all in one event: a flood costs one write."""
    noted = tuple({"kind": str(f.kind), "path": f.path, "note": f.note} for f in findings)
    await log.add(FileOperation(findings=noted))
