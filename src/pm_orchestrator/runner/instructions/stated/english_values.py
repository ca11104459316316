"""Values that an English sentence asks to be put in the place of others.

Only a clause that begins with the verb asks, as with every other effect.
"""

import re
from collections.abc import Iterator

from pm_orchestrator.domain.judging.value_change import Reach, ValueChange
from pm_orchestrator.runner.instructions.effects.english_effects import AHEAD, BOUNDARY, MAYBE
from pm_orchestrator.runner.instructions.stated.literals import FILE, VALUE, Marked, is_number
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern
from pm_orchestrator.runner.instructions.words.wording import without_politeness

GAP = r"[^\x01,.;:]{0,60}?"
FILES = joined(r"<FILE>(?:(?:,\s*|,?\s+and\s+)(?:the\s+)?<FILE>)*", FILE=FILE)
# Another word after it would say what it counts, or that it is only a part of what is meant.
ENDS = joined(
    r"""
    (?=\s*(?:$|[.,;!?)]|(?:in|for|on|and|at|everywhere|throughout|across|within|under|inside|then
    |but|so|please|because|as|instead)\b))
    """
)
OLD = joined(r"(?P<old><VALUE>)", VALUE=VALUE)
NEW = joined(r"\s+(?P<new><VALUE>)<ENDS>(?P<rest>.*)", VALUE=VALUE, ENDS=ENDS)
SETTING = r"(?:set|change|switch|update|bump|raise|lower|increase|reduce|decrease|correct)"
FROM = pattern(
    r"(?:<SETTING>|replace)\s+(?P<what><GAP>)(?:\b(?P<from>from)\s+)?<OLD>\s*(?:(?(from)to|(?!))|->|→|=>)<NEW>",
    SETTING=SETTING, GAP=GAP, OLD=OLD, NEW=NEW,
)  # fmt: skip
REPLACED = pattern(
    r"(?:replace|substitute)\s+(?P<what><GAP>)<OLD>(?P<mid><GAP>)\s+(?:with|by)<NEW>",
    needs="replace substitute", GAP=GAP, OLD=OLD, NEW=NEW,
)  # fmt: skip
TURNED = pattern(
    r"(?:change|switch|update|turn|correct)\s+(?P<what><GAP>)<OLD>"
    r"(?P<mid>(?:\s+(?:in|of)\s+(?:the\s+)?<FILES>|\s+everywhere)?)\s+(?:in)?to<NEW>",
    needs="change switch update turn correct", GAP=GAP, OLD=OLD, FILES=FILES, NEW=NEW,
)  # fmt: skip
SET = pattern(
    r"<SETTING>\s+(?!up\b)(?P<what>[^\x01,.;:]*[a-z][^\x01,.;:]*?)\s+to<NEW>",
    SETTING=SETTING, NEW=NEW,
)  # fmt: skip
# "Set the timeout to 45 and the retries to 5": the verb is said once.
SET_AS_WELL = pattern(
    r"(?P<what>(?:the\s+|its\s+)?[`'\"]?[a-z][\w.-]*[`'\"]?(?:\s+[a-z][\w.-]*){0,2}?)\s+to<NEW>",
    NEW=NEW,
)  # fmt: skip
# "config.yaml: timeout 30 → 45": an arrow asks by itself where a file is named ahead of it.
LED = pattern(r"(?:in\s+)?(?P<led><FILES>)\s*(?:[:,-]\s|\s\w)", FILES=FILES)
IN_PLACE = pattern(r"(?:please\s+)?in\s+(?:both\s+)?(?:the\s+)?<FILES>\s+(?=[a-z])", FILES=FILES)
PAIR = pattern(r"<OLD>\s*(?:->|→|=>)\s*(?P<new><VALUE>)", OLD=OLD, VALUE=VALUE)
TRAILED = pattern(
    r"^[\w.\s`-]{1,40}:?\s*(?P<pairs><VALUE>\s*(?:->|→|=>)\s*<VALUE>)\s+in\s+(?:the\s+)?(?P<files><FILES>)",
    VALUE=VALUE, FILES=FILES,
)  # fmt: skip
SEEN = pattern(
    r"\b(?:instead|gives?|returns?|prints?|shows?|got|gets|expected|wrong|bugs?|was|were|changed|went|yields?)\b"
)
# "The link to a file" is not in it.
PLACE = pattern(
    r"\s*\b(?:in|of|inside|within|throughout|across)\s+(?:both\s+|all\s+)?(?:the\s+)?(?:files?\s+)?(?P<files><FILES>)",
    FILES=FILES,
)
LED_BY = pattern(r"\bin\s+(?:both\s+)?(?:the\s+)?(?P<files><FILES>)\s*[,:]?\s*$", FILES=FILES)
# Kept in the repository or by somebody else, and not in a file.
NO_FILE = pattern(
    r"\b(?:commits?|branch|tag|message|remote|permissions?|mode|bit|author|pr|pull\s+request|issue)\b"
)
ALL = pattern(r"\b(?:all|every|everywhere|each|throughout|across)\b")
# Words that narrow nothing down.
FILLING = frozenset(
    [
        *("all", "every", "everywhere", "each", "throughout", "across", "any", "whole", "entire"),
        *("the", "a", "an", "our", "my", "and", "in", "of", "inside", "within", "with", "by"),
        *("occurrence", "occurrences", "instance", "instances", "mention", "mentions", "use"),
        *("uses", "word", "words", "string", "strings", "text", "term", "file", "files", "please"),
    ]
)
DOCUMENTS = frozenset({"docs", "doc", "documents", "document", "documentation", "pages"})
PROJECT = frozenset({"project", "repo", "repository", "codebase"})


def english_values(text: str, tokens: Marked) -> Iterator[ValueChange]:
    """The values of one sentence, whose files and values are tokens."""
    if MAYBE.search(text):
        return
    if (found := LED.match(text)) and not SEEN.search(text):
        yield from _arrows(text[found.end("led") :], tokens.files_in(found["led"]), tokens)
    elif (found := TRAILED.search(text)) and not SEEN.search(text):
        yield from _arrows(found["pairs"], tokens.files_in(found["files"]), tokens)
    setting = False
    place = IN_PLACE.match(text)
    begin = place.end() if place else 0
    for start in (begin, *(found.end() for found in BOUNDARY.finditer(text, begin))):
        clause = without_politeness(text[start:])
        ahead = text[: len(text) - len(clause)]
        if AHEAD.search(text[:start]):
            continue
        rules = (FROM, REPLACED, TURNED, SET, *((SET_AS_WELL,) if setting else ()))
        setting = any(rule.match(clause) for rule in (SET, *rules[4:]))
        for rule in rules:
            if found := rule.match(clause):
                if not NO_FILE.search(found["what"]):
                    yield _change(found, ahead, tokens, unsure=rule is TURNED)
                break


def _arrows(listed: str, files: tuple[str, ...], tokens: Marked) -> Iterator[ValueChange]:
    """Each of the values that stand behind the name of a file, as in a list."""
    for pair in PAIR.finditer(listed):
        new, old = tokens.value(pair["new"]), tokens.value(pair["old"])
        yield ValueChange(new=new, old=old, files=files)


def _change(found: "re.Match[str]", ahead: str, tokens: Marked, *, unsure: bool) -> ValueChange:
    groups = found.groupdict()
    what, mid, rest = found["what"], groups.get("mid") or "", found["rest"]
    place, led = PLACE.match(rest), LED_BY.search(ahead)
    named = [p["files"] for p in (PLACE.search(what), PLACE.search(mid), place, led) if p]
    end = BOUNDARY.search(rest, place.end() if place else 0)
    said = f"{what} {mid} {rest[: end.start()] if end else rest}"
    old = tokens.value(found["old"]) if "old" in groups else ""
    new = tokens.value(found["new"])
    if unsure and not is_number(old) and is_number(new):
        # "Change `timeout` to 60": what is in quotes is the setting.
        old = ""
    return ValueChange(
        new=new,
        old=old,
        old_may_be_a_key=unsure and bool(old),
        files=tokens.files_in("".join(named)),
        reach=_reach(said) if old else "somewhere",
    )


def _reach(said: str) -> Reach:
    """How far "all" goes; only where nothing else in the words narrows it down."""
    words = set(re.findall(r"[a-z]+", said.lower()))
    rest = words - FILLING
    if not ALL.search(said) or rest - DOCUMENTS - PROJECT:
        return "somewhere"
    return "documents" if rest & DOCUMENTS else "everywhere"
