"""What a worker is told when its claim was refused.

Gate output is data from programs an agent may have written: it goes back inside
a fence, and the fence cannot be closed from inside.
"""

from pm_orchestrator.domain.judging.gate import GateVerdict
from pm_orchestrator.domain.judging.outcome import VerifiedOutcome

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
