"""One attempt as a run keeps it: what was claimed beside what was found."""

from pm_orchestrator.domain.company.assignment import AttemptResult
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.judging.gate import GateVerdict
from pm_orchestrator.domain.judging.outcome import CommitInfo, Reason, VerifiedOutcome
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.gates.judge.completion import only_doubted
from pm_orchestrator.runner.run.kept import Kept
from pm_orchestrator.runner.run.steps import Examination

LONGEST = 2_000
"""Characters of each part of a reason."""


class Examined(Record, frozen=True, kw_only=True):
    """What is kept of it."""

    result: AttemptResult
    outcome: VerifiedOutcome
    commits: tuple[CommitInfo, ...]
    speculative: bool
    started_at: str
    ended_at: str
    findings: tuple[OddFinding, ...] = ()
    answer: str | None = None
    """Path of the stored answer."""


def kept_as(ticket: str, attempt: int) -> str:
    """The name under which an attempt is kept."""
    return f"{ticket}/examined/{attempt}"


def kept_attempts(kept: Kept, ticket: str, last: int) -> list[Examined]:
    """The attempts up to `last`, whichever run of the task made them, as far as anybody looked."""
    found: list[Examined] = []
    for number in range(1, last + 1):
        try:
            found.append(kept.read(Examined, kept_as(ticket, number)))
        except FileNotFoundError:
            # Stopped before anybody could look at it.
            continue
    return found


def examination(
    outcome: VerifiedOutcome, kept: str, result: AttemptResult | None = None
) -> Examination:
    """What a run needs to know of a verdict to go on; `result` is what an attempt ended with."""
    complete = outcome.status is TaskStatus.COMPLETE
    return Examination(
        status=outcome.status,
        reason=_bounded(outcome.because()),
        tree=outcome.facts.commit,
        deliverable=complete or only_doubted(outcome.facts),
        facts=kept,
        feedback="" if complete else feedback_for(outcome),
        unfinished=result is not None and result.claim.kind != "finished",
    )


def _bounded(reason: Reason) -> Reason:
    """A reason that can travel: names in it may be as long as a file system allows."""
    params = {name: cut_between_words(text, LONGEST) for name, text in reason.params.items()}
    return Reason(key=reason.key, params=params)


# What a worker is told when its claim was refused.
#
# Gate output is data from programs an agent may have written: it goes back inside
# a fence, and the fence cannot be closed from inside.
SHOWN_OUTPUT = 4_000


def feedback_for(outcome: VerifiedOutcome) -> str:
    """The Runner's reason, and the output of every gate that did not pass."""
    lines = [outcome.reason()]
    report = outcome.facts.gates
    for result in report.results if report is not None else ():
        if result.verdict not in {GateVerdict.PASS, GateVerdict.ABSENT}:
            lines += [f"Gate {result.kind}: {result.verdict}", fenced(result.output)]
    return "\n".join(lines)


def fenced(output: str) -> str:
    """Program output as a block of data."""
    tail = output[-SHOWN_OUTPUT:].replace("<data", "<\u200bdata").replace("</data", "<\u200b/data")
    return f"<data>\n{tail}\n</data>"
