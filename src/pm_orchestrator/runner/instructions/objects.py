"""Which of the files in a list, and under which conditions, are surely to be changed.

"Update a.py and b.py" means both; "a.py or b.py" leaves a choice, "a.py if needed" depends, and
in "update a.py, b.py is done" the second name begins something else. Only what is sure is
demanded: honest work that is refused costs more than a demand that is not made.
"""

from itertools import pairwise

from msgspec.structs import replace

from pm_orchestrator.runner.instructions.file_names import Mention
from pm_orchestrator.runner.instructions.words.file_roles import Reading
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.wording import REACH

UNSURE_AFTER = pattern(
    r"""
    ^['"`]?,?\s*(?:file\s+)?(?:but\s+)?(?:only\s+)?(?:if|unless|when(?:ever)?|where|and/or|or)\b
    |\b(?:if|when|where|as)\s+(?:it\s+is\s+|it's\s+)?
    (?:needed|necessary|required|appropriate|applicable|possible|it|they|there|this|you)\b|\bunless\b
    """
)
CLAUSE_ENDS = pattern(r";|\bbut\b|,\s+(?=and\b|then\b|leave\b|keep\b)|\band\s+(?=[a-z]+\s)")
LISTED = pattern(
    r"""
    ['"`]?(?:\s*,\s*|\s+)(?P<closed>and\s+|&\s+|as\s+well\s+as\s+)?(?P<choice>or\s+)?
    (?:also\s+)?(?:the\s+|an?\s+)?(?:file\s+)?['"`@]?
    """
)
LIST_ENDS = pattern(
    r"^['\"`]?(?:\s*$|\s*[.,;:!?(]|\s+(?:to|with|so|for|by|as|in|using|from|and|but)\b)"
)


def settle_lists(sentence: str, named: list[Mention], readings: list[Reading]) -> list[Reading]:
    """The readings, with no demand where a list or what follows it leaves one open."""
    settled: list[Reading] = []
    for chain in _chains(sentence, named):
        links = [
            LISTED.fullmatch(sentence[one.end : other.start]) for one, other in pairwise(chain)
        ]
        choice = any(link is not None and link["choice"] for link in links)
        after = sentence[chain[-1].end : chain[-1].end + REACH]
        own = after[: ends.start()] if (ends := CLAUSE_ENDS.search(after, 1)) else after
        open_list = choice or UNSURE_AFTER.search(own) is not None
        # "Update a.py, b.py is done" lists nothing.
        closed = not links or (links[-1] is not None and links[-1]["closed"] is not None)
        whole = closed and (not links or LIST_ENDS.search(after) is not None)
        for place, _ in enumerate(chain):
            reading = readings[len(settled)]
            sure = not open_list and (place == 0 or whole)
            settled.append(reading if sure else replace(reading, must_change=False))
    return settled


def _chains(sentence: str, named: list[Mention]) -> list[list[Mention]]:
    """Mentions that stand in one list, together."""
    chains: list[list[Mention]] = []
    for mention in named:
        between = sentence[chains[-1][-1].end : mention.start] if chains else ""
        if chains and LISTED.fullmatch(between):
            chains[-1].append(mention)
        else:
            chains.append([mention])
    return chains
