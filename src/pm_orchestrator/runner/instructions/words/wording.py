"""Sentences and clauses of an instruction, in a form that rules can be applied to.

Look-alike characters are folded and invisible ones taken away first, so that a
dangerous command cannot hide behind its spelling.
"""

import re
import unicodedata

from pm_orchestrator.domain.late_pattern import LatePattern

# A dot ends a sentence only before a space: file names and versions contain dots.
SENTENCE_END = LatePattern(r"(?<=[.!?;])\s+|\n+|(?<=。)|(?<=[!?])(?![\w/.=&\"'`)]|\s)")
ABBREVIATED = LatePattern(
    r"\b(e\.g|i\.e|cf|vs|incl|resp|approx)\.,?\s+",
    re.IGNORECASE,
    needs="e.g i.e cf vs incl resp approx",
)
CLAUSE_END = LatePattern(
    r",\s+|:\s+|\s+-+\s+|\s*&&\s*|\s+(?:and\s+then|and|then|but|or)\s+(?=\S)", re.IGNORECASE
)
POLITE = LatePattern(
    r"(?:please|kindly|hey|hi|hello|ok|okay|so|now|first|firstly|second|then|also|next|finally|and"
    r"|but|just|(?:can|could|would|will) (?:you|we)|(?:let's|let us)|lets|help me(?: to)?|try to"
    r"|i(?:'d| would) like (?:you )?to|i (?:want|need) (?:you )?to|(?:you|we) (?:should|must|can)"
    r"|(?:you|we) (?:need|have) to|need to|go ahead|make sure to|be sure to|how about we"
    r"|why (?:don't|not)(?: you| we)?|simply|quickly|carefully|again|to)(?![\w'.])[\s,:]*",
    re.IGNORECASE,
)
REACH = 400
JAPANESE = LatePattern(r"[぀-ヿ一-鿿]")


def plain(text: str) -> str:
    """The text with look-alikes folded, quotes straightened and invisible characters gone."""
    folded = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    return "".join(c for c in folded if unicodedata.category(c) != "Cf").strip()


def just_before(text: str, position: int) -> str:
    """What stands in front of a place; far enough back for any rule, however long the text."""
    return text[max(0, position - REACH) : position]


def is_japanese(text: str) -> bool:
    """Whether Japanese rules apply to it."""
    return not text.isascii() and JAPANESE.search(text) is not None


def sentences(text: str) -> list[str]:
    """The sentences of a plain text, without empty ones."""
    whole = ABBREVIATED.sub(lambda found: f"{found.group(1)} ", text)
    return [s for part in SENTENCE_END.split(whole) if (s := part.strip())]


def clauses(sentence: str) -> list[str]:
    """The clauses of one sentence, each without the polite words it begins with."""
    return [c for part in CLAUSE_END.split(sentence) if (c := without_politeness(part))]


def without_politeness(clause: str) -> str:
    """The clause from its verb on."""
    rest = clause.strip(" \t\"'`“”「」『』*-•")
    while (found := POLITE.match(rest)) is not None and found.end() < len(rest):
        rest = rest[found.end() :].lstrip(" \t\"'`*-•")
    return rest
