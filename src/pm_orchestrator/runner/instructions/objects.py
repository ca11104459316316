"""Is a file itself what is to be changed?

"Update README.md" leaves no doubt; "fix the bug in parser.py" does, because the cause may be
elsewhere, and so do a condition, a prohibition and a script that is to do it one day. Only
what is sure is demanded: honest work that is refused costs more than a demand that is not made.
"""

from itertools import pairwise

from pm_orchestrator.runner.instructions.file_names import Mention
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.wording import (
    CLAUSE_END,
    REACH,
    is_japanese,
    just_before,
    without_politeness,
)

# The whole clause from its verb to the name.
OBJECT = pattern(
    r"""
    (?:(?:(?:do\s+not|don't)\s+forget|remember)\s+to\s+)?
    (?:update|edit|modify|change|rewrite|extend|append\s+to|expand|bump|revise)\s+(?:both\s+)?
    (?:(?:the|our|my|your|this)\s+)?(?:(?:existing|current|main)\s+)?(?:file\s+)?['"`@]?
    """
)
# Ahead of the clause: it may say what something else will do, or when.
UNSURE_AHEAD = pattern(
    r"""
    \b(?:that|which|who|how|why|if|unless|when(?:ever)?|where|whether|in\s+case|not|never|without)\b
    |n't\b|\bto\s+(?!(?:the|our|my|an?)\s|[\w/-]*\.\w)[a-z]|\bor\s+(?:\w+\s+)?$
    """
)
UNSURE_AFTER = pattern(
    r"""
    ^['"`]?,?\s*(?:file\s+)?(?:but\s+)?(?:only\s+)?(?:if|unless|when(?:ever)?|where|and/or|or)\b
    |\b(?:if|when|where|as)\s+(?:it\s+is\s+|it's\s+)?
    (?:needed|necessary|required|appropriate|applicable|possible|it|they|there|this|you)\b|\bunless\b
    """
)
LISTED = pattern(
    r"""
    ['"`]?(?:\s*,\s*|\s+)(?P<closed>and\s+|&\s+|as\s+well\s+as\s+)?(?P<choice>or\s+)?
    (?:also\s+)?(?:the\s+)?(?:file\s+)?['"`]?
    """
)
LIST_ENDS = pattern(r"^['\"`]?(?:\s*$|\s*[.,;:!?(]|\s+(?:to|with|so|for|by|as|in|using|from)\b)")


def objects(sentence: str, named: list[Mention]) -> list[bool]:
    """For each mention, whether the sentence makes the file the object of a change."""
    if is_japanese(sentence):
        from pm_orchestrator.runner.instructions.japanese_objects import japanese_objects

        return japanese_objects(sentence, named)
    found: list[bool] = []
    for chain in _chains(sentence, named):
        found += _demanded(sentence, chain)
    return found


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


def _demanded(sentence: str, chain: list[Mention]) -> list[bool]:
    links = [LISTED.fullmatch(sentence[one.end : other.start]) for one, other in pairwise(chain)]
    choice = any(link is not None and link["choice"] for link in links)
    after = sentence[chain[-1].end : chain[-1].end + REACH]
    if choice or UNSURE_AFTER.search(after) or not _is_object(sentence, chain[0]):
        return [False] * len(chain)
    # "Update a.py, b.py is done" lists nothing.
    closed = bool(links) and links[-1] is not None and links[-1]["closed"] is not None
    whole = closed and LIST_ENDS.search(after) is not None
    return [True, *([whole] * (len(chain) - 1))]


def _is_object(sentence: str, mention: Mention) -> bool:
    before = just_before(sentence, mention.start)
    *_, last = (0, *(found.end() for found in CLAUSE_END.finditer(before)))
    if UNSURE_AHEAD.search(before[:last]):
        return False
    name = sentence[mention.start : mention.end]
    clause = without_politeness(before[last:] + name)
    verb = OBJECT.match(clause)
    return verb is not None and clause[verb.end() :] == name
