"""Courtesies that English wraps a request in, taken off: what is asked stays, word for word.

"When you have a moment" is no condition, and "would you mind adding" asks for nothing but to add.
"""

import re

from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.verbs import GERUNDS

SAID_ALONG = pattern(
    r"""
    (?:(?:when(?:ever)?|if|once|as\s+soon\s+as)\s+you\s+(?:have|get|find|got)\s+(?:a|an|some|the|any)?\s*
    (?:spare\s+|free\s+|quiet\s+)?(?:moment|minute|second|sec|time|chance|opportunity)
    |if\s+(?:it's|it\s+is|that's|that\s+is)\s+(?:not\s+too\s+much\s+(?:trouble|work|to\s+ask)|ok(?:ay)?(?:\s+(?:with|for)\s+you)?)
    |if\s+you\s+don't\s+mind|no\s+(?:hurry|rush)(?:\s+at\s+all)?
    |i\s+hope\s+(?:you(?:'re|\s+are)\s+(?:doing\s+)?well|this\s+finds\s+you\s+well))[,.!]?[ ]*
    """,
    needs="you hurry rush much okay hope",
)
ASKS_FOR_IT = pattern(
    r"""
    (?:i'd|i\s+would)\s+(?:be\s+)?(?:very\s+|so\s+|really\s+|most\s+|much\s+)*(?:grateful|thankful|happy|glad|appreciate\s+it|love\s+it)
        \s+if\s+you\s+(?:could|would|can)\s+
    |(?:would|is)\s+it\s+(?:be\s+)?possible\s+for\s+you\s+to\s+
    |(?:could|can|may|might)\s+i\s+(?:ask|trouble|bother)\s+you\s+to\s+
    |(?:please\s+)?(?:would\s+you\s+)?be\s+so\s+kind\s+(?:as\s+)?to\s+
    |(?:would|do)\s+you\s+mind\s+(?=(?P<doing>[a-z]+ing)\b)
    """,
    needs="possible kind mind grateful thankful happy glad appreciate love ask trouble bother",
)
HAVE_A_LOOK = pattern(
    r"\b(?:have|take)\s+(?:a|another)\s+(?:(?:quick|closer|close|brief)\s+)?(?:look|glance|peek)\b",
    needs="look glance peek",
)


def without_courtesy(text: str) -> str:
    """The text with each wish as a plain request."""
    return HAVE_A_LOOK.sub("look", SAID_ALONG.sub("", _asked_plainly(text)))


def _asked_plainly(text: str) -> str:
    rest, plainly = text, ""
    while (found := ASKS_FOR_IT.search(rest)) is not None:
        plainly += f"{rest[: found.start()]}please "
        rest = rest[found.end() :]
        doing = found["doing"]
        if doing is not None:
            rest = re.sub(r"^\w+", lambda word: _verb(word.group()), rest)
    return plainly + rest


def _verb(doing: str) -> str:
    return GERUNDS.get(doing.lower(), doing.removesuffix("ing"))
