"""An English sentence as words that rules can be applied to: names, phrases, no politeness."""

import re

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.words.wording import POLITE

TOKEN = LatePattern(
    r"\x00\d+\x00|\x01|(?:--?)?[A-Za-z]+(?:['-][A-Za-z]+)*|[,;:()&.!?]|--?(?=\s)|\S"
)
NAME_TOKEN = LatePattern(r"(\x00\d+\x00)")
REMINDED = LatePattern(
    r"(?:(?:please )?(?:do not|don't|never) forget to|remember to|remember|feel free to"
    r"|don't hesitate to|i(?:'d| would) (?:like|love) (?:you )?to"
    r"|i'd appreciate it if you(?: could| would)?"
    r"|it would be (?:great|nice|good) if you(?: could| would)?|if you can"
    r"|when you(?:'re| are) (?:done|finished|ready)|when (?:done|finished|that is done)"
    r"|afterwards?|after that|once (?:done|finished|that is done)|in addition|additionally"
    r"|lastly|maybe|perhaps|actually|instead|let me)(?![\w'.])[\s,:]*",
    re.IGNORECASE,
)
WANTS_ONE = LatePattern(
    r"(?:i|we)(?:'d| would)? (?:need|want|like|could use) (?=an?\b|the\b|\x00)"
    r"|there (?:should|must) be ",
    re.IGNORECASE,
)
BOUNDARY = LatePattern(r"((?:,|;|:|\s-+)\s+|\s+(?:and|then|but|or)\s+)")
JOINING = LatePattern(r"\s*(?:,|;|:|-+|and|then|but|or)\s*")
PHRASES = {
    "->": "to", "→": "to", "following the": "like the",
    "get rid of": "remove", "set up": "make", "add a new": "make", "add new": "make",
    "make sure": "ensure", "make use of": "use", "clean up": "clean", "tidy up": "tidy",
    "bring up to date": "update", "look at": "look", "look into": "look", "based on": "like",
    "according to": "like", "similar to": "like", "such as": "like", "for example": "like",
    "for instance": "like", "as in": "like", "in the style of": "like", "instead of": "except",
    "rather than": "except", "other than": "except", "apart from": "except", "e.g": "like",
    "i.e": "like", "cf": "like",
    "as well as": "and", "in case": "if", "in order": "so", "do not": "don't",
    "does not": "doesn't",
    "must not": "don't", "should not": "don't", "will not": "don't", "need not": "don't",
    "at the end of": "in", "at the top of": "in", "at the bottom of": "in", "to the end of": "in",
    "to the top of": "in", "on top of": "in", "the contents of": "the", "the content of": "the",
    "references to": "like", "reference to": "like", "links to": "like", "link to": "like",
    "link to it": "link it", "link to them": "link them", "link to both": "link both",
    "calls to": "like", "pointers to": "like", "pointer to": "like", "imports of": "like",
    "imports from": "like", "imports to": "like", "mentions of": "like", "usages of": "like",
    "uses of": "like", "a copy of": "like", "the copy of": "like", "described in": "like",
    "defined in": "like", "listed in": "like", "mentioned in": "like", "specified in": "like",
    "documented in": "like", "shown in": "like", "explained in": "like", "found in": "like",
    "used in": "like", "used by": "like", "with regard to": "like", "and then": "then",
    "split up": "split", "a new file": "\x02",
}  # fmt: skip
PHRASE = LatePattern(
    r"(?<![\w'])(?:"
    + "|".join(re.escape(p) for p in sorted(PHRASES, key=len, reverse=True))
    + r")(?![\w'])",
    re.IGNORECASE,
)


def english_tokens(text: str) -> list[str]:
    r"""The words of a sentence in which names are tokens already.

    `\x01` stands where a thing is wished for by name, `\x02` for a new file.
    """
    spaced = NAME_TOKEN.sub(r" \1 ", text)
    return _tokens(PHRASE.sub(lambda found: PHRASES[found.group().lower()], spaced))


def _tokens(text: str) -> list[str]:
    """The words of every clause, without the politeness it begins with."""
    found: list[str] = []
    for part in BOUNDARY.split(text):
        clause = part.strip() if JOINING.fullmatch(part) else _from_its_verb(part.strip(" \t*•"))
        found += TOKEN.findall(clause)
    return found


def _from_its_verb(clause: str) -> str:
    rest = clause
    while True:
        wants = WANTS_ONE.match(rest)
        if wants is not None:
            return f"\x01 {rest[wants.end() :]}"
        begun = REMINDED.match(rest) or POLITE.match(rest)
        if begun is None or begun.end() >= len(rest):
            return rest
        rest = rest[begun.end() :].lstrip(" \t*-•")
