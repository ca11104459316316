"""The reviewer: puts a finished run before a person, with what was proved.

Read-only. The text is made from the Runner's facts; the workers' own words are
quoted as claims and marked as such.
"""

from pm_orchestrator.domain.history.report import RunResult
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.ports.forge import ReviewRecord

TITLE_LENGTH = 72


def write_review(result: RunResult, target: str, created_at: str) -> ReviewRecord:
    """The proposal to merge a run's branch into `target`."""
    gates = result.gates.results if result.gates is not None else ()
    lines = [result.instruction, ""]
    if result.is_accepted:
        lines += ["Accepted by a person, and not proved:"]
        lines += [f"- {reason.say()}" for reason in result.not_proved]
        lines += ["", f"Seen by the Runner on {result.commit}:"]
    else:
        lines.append(f"Proved by the Runner on {result.commit}:")
    lines += [f"- {r.kind}: {r.verdict}" for r in gates] or ["- no gates in this project"]
    lines += ["", "Changed files:"]
    lines += [f"- {f.path}" for f in result.summary.verified_files]
    lines += ["", "Sub-tasks:"]
    for item in result.work:
        lines.append(f"- {item.ticket_id} {item.title}: {item.status}")
        lines += [
            f'  - attempt {r.attempt} claimed "{r.claim.summary}"; refused: {r.reason.say()}'
            for r in item.refusals
        ]
    return ReviewRecord(
        review_id=result.review_id or f"review-{result.run_id}",
        run_id=result.run_id,
        title=cut_between_words(" ".join(result.instruction.split()), TITLE_LENGTH),
        body="\n".join(lines) + "\n",
        source_branch=result.branch or "",
        target_branch=target,
        commit=result.commit or "",
        gates=gates,
        state="open",
        created_at=created_at,
    )
