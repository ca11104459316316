"""Commits, branches, tags and merges that one English clause asks for.

The clause begins with its verb. A name in it may turn out to be no ref at all ("remove the tag
filter"); what the repository never had is not held against anybody, so no list of nouns is kept.
"""

import re
from collections.abc import Callable, Iterator

from pm_orchestrator.domain.judging.effect import Effect, EffectKind
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.effects.commit_wording import english_holding
from pm_orchestrator.runner.instructions.effects.starting_points import (
    BACK,
    ENGLISH,
    HERE,
    branch_start,
    given_to_git,
    point,
    tag_target,
)
from pm_orchestrator.runner.instructions.file_names import is_file_name
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern

NAME = r"(?:[`'\"][^`'\"]+[`'\"]|\x00\d+\x00/?|[\w][\w./+-]*)"
NAMES = joined(r"<NAME>(?:(?:,\s*|,?\s+and\s+)<NAME>)*", NAME=NAME)
MAKE = r"(?:create|make|add|set\s+up|start|open|cut)"
SOME = r"(?:(?:an?|the|another|one|our|my)\s+)?"
NO_REF = frozenset(
    {
        *("a", "an", "the", "this", "it", "for", "to", "in", "with", "that", "of", "where", "and"),
        *("containing", "from", "off", "so", "on", "called", "named", "if", "when", "which"),
        *("new", "separate", "current", "feature", "git", "local", "remote"),
    }
)
COMMITTED = pattern(
    r"""
    (?:only\s+|just\s+)?(?:git\s+)?commit(?!\s+(?:message|hook|history|template|id|hash)s?\b)(?:\s*$|\s*[.!,;]|\s+-a?m\b|\s+-a\b
    |\s+(?:it|this|that|them|these|those|what(?:ever|'s)?|only|just|nothing|everything|all|the|my|our|your|changes?
    |work|result|to|with|as|on|when|once|after|in|using|and|locally|\x00))
    |check\s+(?:in\s+(?:(?:all|of|the|my|our|these)\s+)+changes|(?:it|this|them|everything|(?:the|my|our|these)\s+changes)\s+in)(?=\s*(?:$|[.,;!]|and\b))
    |(?:save|record|store|put)\s+[^.,;]{1,40}?\s+(?:in|into|as)\s+(?:an?|one)\s+(?:(?:new|single|separate)\s+)*commit\b(?!\s+(?:message|hook|template)s?\b)
    |(?:make|create|do)\s+(?:an?\s+|one\s+)?(?:new\s+|single\s+|separate\s+|git\s+)*commit\b(?!\s+(?:message|hook|template)s?\b)
    """
)
NAME_ENDS = joined(
    r"""
    (?=\s*(?:$|[.,;!]|(?:and|for|from|with|off|then|based|starting)\b
    |at\s+(?:the\s+)?(?:tag|commit|HEAD|v?\d)))
    """
)
BRANCHED = pattern(
    r"""
    (?:<MAKE>|check\s?out|switch\s+to|branch\s+off)\s+(?:to\s+)?<SOME>(?:(?:new|separate|git|feature|release|local)\s+)*
    (?:branches\s+(?P<many><NAME>(?:,\s*<NAME>)*,?\s+and\s+<NAME>)<ENDS>|branch(?:es)?(?:\s+(?:off(?:\s+of)?|from)\s+(?P<off><POINT>))?\s+(?:(?:called|named)\s+(?P<called><NAME>)|(?P<name><NAME>)<ENDS>)
    |(?P<before><NAME>)\s+branch\b<ENDS>)
    |branch\s+(?P<bare>(?!off\b|from\b|out\b|it\b|the\b|for\b)<NAME>)(?=\s+(?:off|from)\s)
    |git\s+(?:checkout\s+-b|switch\s+-c|branch)\s+(?P<shell><NAME>)
    """,
    MAKE=MAKE, SOME=SOME, NAME=NAME, ENDS=NAME_ENDS, POINT=ENGLISH,
)  # fmt: skip
# Much is switched to; a branch is called one, or has a name that little else has.
SWITCHED = pattern(
    r"""
    (?:(?:switch|go|change|move)\s+(?:back\s+|over\s+)?to|check\s?out)\s+(?:the\s+)?
    (?:(?P<before><NAME>)\s+branch\b|(?:branch\s+)(?P<after><NAME>)|(?P<plain>(?:main|master|develop|trunk)\b|[\w.-]+/[\w./-]*\w))<ENDS>
    |git\s+(?:checkout|switch)\s+(?!-)(?P<shell><NAME>)(?=\s*(?:$|[.,;!]))
    """,
    NAME=NAME, ENDS=NAME_ENDS,
)  # fmt: skip
NEW_BRANCH = pattern(
    r"[^.]*\bnew\s+(?:git\s+)?branch(?:\s+(?:for\s+(?:this|it|that)|first))?[.!]?\s*"
)
BEGINS_BRANCH = pattern(
    r"(?:<MAKE>|check\s?out|switch\s+to|branch\s+off)\s+(?:to\s+)?<SOME>(?:(?:new|separate|git|feature|release|local)\s+)*branch\b",
    MAKE=MAKE, SOME=SOME,
)  # fmt: skip
RENAMED = pattern(
    r"""
    (?:rename|move)\s+<SOME>(?:(?:current|git|local)\s+)*(?:branch(?:\s+(?P<after><NAME>))?|(?P<before><NAME>)\s+branch)
    \s+(?:to|into|as)\s+(?P<to><NAME>)|git\s+branch\s+(?:-m|--move)\s+(?:(?P<shell><NAME>)\s+)?(?P<into><NAME>)(?=\s*(?:$|[.,;!]))
    """,
    SOME=SOME, NAME=NAME,
)  # fmt: skip
GONE = pattern(
    r"""
    (?:delete|remove|erase|drop|prune|get\s+rid\s+of)\s+(?:(?:the|our|my|both)\s+)?(?:(?:old|local|git|merged|stale|obsolete|unused|two)\s+)*
    (?:(?P<first>branch|tag)(?:e?s)?\s+(?:(?:called|named)\s+)?(?P<after><NAMES>)|(?P<before><NAMES>)\s+(?P<last>branch|tag)(?:e?s)?\b)
    |git\s+(?P<shell>branch|tag)\s+(?:-d|--delete)\s+(?P<given><NAME>(?:\s+<NAME>)*)
    """,
    NAME=NAME, NAMES=NAMES,
)  # fmt: skip
# No branch is named: all whose commits are elsewhere as well.
SWEPT = pattern(
    r"""
    (?:delete|remove|erase|drop|prune|clean\s+up|get\s+rid\s+of)\s+(?:(?:all|every|any|of|the|our|my|those|these|old|local|git|stale|obsolete|unused|feature)\s+)*
    (?:(?:already[\s-]+|fully[\s-]+)?merged\s+(?:(?:local|git|feature)\s+)*branch(?:es)?\b(?:\s*$|\s*[.,;!(])
    |branch(?:es)?\s+(?:(?:that|which)\s+)?(?:(?:are|were|is|have|has|been|already|fully|long)\s+)*merged(?:\s+(?:into|to|in)\s+(?:the\s+)?(?P<into><NAME>))?)
    """,
    NAME=NAME,
)  # fmt: skip
TAGGED = pattern(
    r"""
    (?:git\s+)?tag\s+(?!(?:it|this|that|<SOME>(?:new\s+)?(?:release|version|state|result))\s+(?:as|with)\b)(?P<point><POINT>)\s+(?:as|with)\s+(?P<pointed>v?\d+(?:\.\d+)+[\w.-]*|[`'"][^`'"]+[`'"]|\x00\d+\x00)|
    (?:git\s+)?tag\s+(?:(?:it|HEAD|(?:(?:this|that)\s*)?<SOME>(?:(?:current|last|latest|new|release)\s+)*(?:commit|release|version|state|result|HEAD)|this|that|them|these)\s+)?
    (?:as\s+|with\s+)?(?P<name>v?\d+(?:\.\d+)+[\w.-]*|[`'"][^`'"]+[`'"])
    |(?:<MAKE>|put|place|set)\s+<SOME>(?:(?:new|git|annotated|release|lightweight)\s+)*tag\s+(?:(?:called|named)\s+(?P<called><NAME>)|(?:for\s+)?(?P<version>v?\d+(?:\.\d+)+[\w.-]*|[`'"][^`'"]+[`'"]|\x00\d+\x00))
    """,
    MAKE=MAKE, SOME=SOME, NAME=NAME, POINT=ENGLISH,
)  # fmt: skip
VERSION = pattern(r"v?\d+(?:\.\d+)*")
MERGED = pattern(
    r"""
    (?:git\s+)?merge\s+(?:(?:the\s+)?branch\s+(?P<branch><NAME>)|(?:the\s+)?(?P<before><NAME>)\s+branch
    |(?P<name><NAME>))(?=\s*$|\s*[.!,;]|\s+(?:back\s+)?(?:into|in|to)\s)
    """,
    NAME=NAME,
)
# A commit by what it says, by its id or by its place.
COMMIT = rf"(?:commit_called_\d+_|\b[0-9a-f]{{7,40}}\b|\bHEAD(?:[~^]\d*)*|{BACK}|{HERE})"
EACH_COMMIT = pattern(COMMIT)
COMMITS = joined(
    r"(?:<SOME>(?:(?:two|three|both|following)\s+)?(?:commits?\s+)?<COMMIT>(?:\s+commit\b)?)(?:(?:\s*,\s*|\s*,?\s+and\s+)(?:<SOME>(?:commit\s+)?<COMMIT>))*",
    SOME=SOME, COMMIT=COMMIT,
)  # fmt: skip
THAT = r"(?:it|(?:that|this|the)(?:\s+(?:one|commit))?|them|both|those(?:\s+commits)?)"
PICKED = pattern(
    r"""
    (?:git\s+)?cherry-?\s?pick\s+(?:(?P<what><COMMITS>)|<THAT>\b)
    |(?:bring|carry|port|back-?port|apply|take|copy|transplant|get)\s+(?:over\s+)?(?P<ported><COMMITS>)(?=[^.]*\b(?:to|onto|into|on|over)\b)
    |.*?\b(?P<passive><COMMITS>)\s+(?:to\s+be\s+|should\s+be\s+)?cherry-?\s?picked\b
    """,
    COMMITS=COMMITS, THAT=THAT,
)  # fmt: skip
REVERTED = pattern(
    r"(?:git\s+)?(?:revert|back\s+out|undo|take\s+back)\s+(?:(?P<what><COMMITS>)|(?:that|this|the)\s+commit\b|(?:it|that|that\s+one)(?=\s*(?:$|[.,;!(]|please|again|with|in|and)))|.*?\b(?P<passive><COMMITS>)\s+(?:to\s+be\s+|should\s+be\s+)?reverted\b",
    COMMITS=COMMITS, THAT=THAT,
)  # fmt: skip
CARRIED_IN = ("what", "ported", "passive")
CARRIED: dict[LatePattern, EffectKind] = {PICKED: "picked", REVERTED: "reverted"}
ONTO = pattern(
    r"\b(?:onto|on\s+to|to|into|over\s+to|on)\s+(?:the\s+)?(?:branch\s+)?(?P<name>(?!the\b|top\b)<NAME>)",
    NAME=NAME,
)  # fmt: skip
FILE_LIST = joined(
    r"<FILE>(?:(?:,\s*|,?\s+and\s+)(?:the\s+)?<FILE>)*", FILE=r"(?:\x00\d+\x00/?|[\w.-]+/)"
)
UNTRACKED = pattern(
    r"""
    (?:(?:stop|quit)\s+tracking|untrack|git\s+rm\s+(?:-r\s+)?--cached(?:\s+-r)?)\s+(?:the\s+)?(?:files?\s+)?(?P<files><LIST>|(?:it|them|that\s+file|this\s+file)\b)
    |(?:remove|drop|take|delete|get\s+rid\s+of)\s+(?:the\s+)?(?:files?\s+)?(?P<gone><LIST>|it|them|that\s+file)\s+(?:out\s+of|from)\s+(?:the\s+)?(?:git(?:'s)?(?:\s+(?:index|tracking))?|index|version\s+control|tracking|(?:git\s+)?repo(?:sitory)?)\b
    """,
    LIST=FILE_LIST,
)  # fmt: skip
INTO = pattern(
    r"\s+(?:back\s+)?(?:into|in|to)\s+(?:the\s+)?(?:branch\s+)?(?P<name><NAME>)", NAME=NAME
)
NO_BRANCH = frozenset({"it", "them", "these", "those", "both", "everything"})
# A message is changed by any verb that changes a text, and never by one that only brings it along.
LAST = r"(?:last|latest|newest|most\s+recent|previous|current|HEAD(?:'s)?)"
REWORDS = joined(
    r"""
    (?:amend|reword|rephrase|rewrite|change|edit|fix|correct|update|replace|revise|improve|shorten|adjust|set|modify)
    \s+<SOME>(?:[\w-]+\s+(?:[\w-]+\s+){0,2}(?:in|of|from)\s+<SOME>)?
    """,
    SOME=SOME,
)
REWORDED = pattern(
    r"""
    <REWORDS>(?:<LAST>\s+commit(?:'s)?\s+message|(?:commit\s+)?message\s+(?:of|on|in|for)\s+(?:HEAD|(?:the|my|our)\s+(?:<LAST>\s+)?commit)
    |commit\s+message(?=\s+(?:to|so|of\s+HEAD)\b|\s*[:.!]?\s*$))\b(?!\s+[a-z]*(?:template|hook|format|parser|check|box|field))
    """,
    REWORDS=REWORDS, LAST=LAST,
)  # fmt: skip
AMENDED = pattern(
    r"""
    amend\s+(?:(?:the|my|our)\s+)?(?:<LAST>\s+)?commit\b|git\s+commit\s+--amend\b
    |(?:add|put|fold|include)\s+(?:it|this|that|them|these|everything|(?:(?:the|my|our|these)\s+)?changes?)\s+(?:also\s+)?(?:to|into|in)\s+(?:the|my|our)\s+<LAST>\s+commit\b
    """,
    LAST=LAST,
)
SQUASHED = pattern(
    r"""
    (?:squash|(?:combine|fold|join|collapse|merge)(?=[^.]*\s+(?:in)?to\s+(?:one|a\s+single)\b))\s+
    (?:(?:the|my|our|all|these|those|both|of|them|last|latest|previous|recent|two|three|four|five|\d+)\s+)+commits\b
    """
)


def english_history(clause: str, path: Callable[[str], str], before: str = "") -> Iterator[Effect]:
    """What the clause asks of the repository; `path` says what a token stands for.

    `before` is what stands ahead of the clause.
    """
    yield from _commits(clause, path)
    yield from _carried(clause, path, before)
    yield from _branches(clause, path, before)
    if found := GONE.match(clause):
        yield from _gone(found, path)
    if found := SWEPT.match(clause):
        yield Effect(kind="branch_gone", at=path(found["into"] or "").rstrip("."))
    if found := TAGGED.match(clause):
        name = path(_one(found, "pointed", "name", "called", "version"))
        at = _target(found, path)
        # "Tag the photo as 'cat'" is about something else.
        if VERSION.match(name) or at.startswith("HEAD") or found["called"]:
            yield Effect(kind="tagged", name=name, at=at)
    if found := MERGED.match(clause):
        name = path(_one(found, "branch", "before", "name"))
        # "Merge a.md into b.md" is about documents.
        if name not in NO_BRANCH and not is_file_name(name):
            into = INTO.match(clause, found.end())
            yield Effect(kind="merged", name=name, at=path(into["name"]) if into else "")


def _commits(clause: str, path: Callable[[str], str]) -> Iterator[Effect]:
    if REWORDED.match(clause):
        yield Effect(kind="reworded")
    elif AMENDED.match(clause):
        yield Effect(kind="amended")
    elif SQUASHED.match(clause):
        yield Effect(kind="squashed")
    elif (holding := english_holding(clause, path)).files:
        only = holding.files if holding.alone else ()
        yield Effect(kind="committed", only=only, takes=() if only else holding.files)
    elif COMMITTED.match(clause):
        yield Effect(kind="committed")


def _carried(clause: str, path: Callable[[str], str], before: str) -> Iterator[Effect]:
    """Commits that are to be brought over or taken back, each by itself."""
    for rule, kind in CARRIED.items():
        if found := rule.match(clause):
            groups = found.groupdict()
            listed = next((groups[g] for g in CARRIED_IN if groups.get(g)), "")
            if not listed:
                # "…, revert that commit": the one that was named last.
                listed = (re.findall(COMMIT, before) or [""])[-1]
            onto = ONTO.search(clause)
            at = path(onto["name"]) if onto and kind == "picked" else ""
            at = "" if at.lower() in {"it", "that", "this", "there", "top"} else at
            for token in EACH_COMMIT.findall(listed):
                name = point(token, path)
                if name.lower() not in NO_REF | NO_BRANCH:
                    yield Effect(kind=kind, name=name, at=at)


def english_untracked(clause: str, path: Callable[[str], str], last: str) -> Iterator[Effect]:
    """Files that git is to let go; `last` is the one that "it" may be."""
    if found := UNTRACKED.match(clause):
        tokens = re.findall(r"\x00\d+\x00/?|[\w.-]+/", _one(found, "files", "gone"))
        names = [path(token).rstrip("/") for token in tokens] or [last]
        yield from (Effect(kind="untracked", name=name) for name in names if name)


def _target(found: "re.Match[str]", path: Callable[[str], str]) -> str:
    if found["point"]:
        return point(found["point"], path)
    rest = found.string[found.end() :]
    shell = found.group().lower().startswith("git")
    return tag_target(rest, path) or (given_to_git(rest, path) if shell else "")


def _start(found: "re.Match[str]", path: Callable[[str], str], before: str) -> str:
    if found["off"]:
        return point(found["off"], path)
    rest = found.string[found.end() :]
    return branch_start(rest, before, path) or (given_to_git(rest, path) if found["shell"] else "")


def _branches(clause: str, path: Callable[[str], str], before: str) -> Iterator[Effect]:
    if found := RENAMED.match(clause):
        was = path(_one(found, "after", "before", "shell"))
        yield Effect(kind="branched", name=path(_one(found, "to", "into")), source=was)
        if was:
            yield Effect(kind="branch_gone", name=was)
        return
    if found := SWITCHED.match(clause):
        name = path(_one(found, "before", "after", "plain", "shell"))
        if name.lower() not in NO_REF and not is_file_name(name):
            yield Effect(kind="switched", name=name)
            return
    found = BRANCHED.match(clause)
    tokens = _one(found, "many", "called", "name", "before", "bare", "shell") if found else ""
    names = [name for token in re.findall(NAME, tokens) if (name := path(token)) != "and"]
    if found and names and names[0].lower() not in NO_REF:
        start = _start(found, path, before)
        yield from (Effect(kind="branched", name=name, at=start) for name in names)
    elif BEGINS_BRANCH.match(clause) and NEW_BRANCH.fullmatch(clause):
        yield Effect(kind="branched")


def _gone(found: "re.Match[str]", path: Callable[[str], str]) -> Iterator[Effect]:
    noun = _one(found, "first", "last", "shell").lower()
    kind: EffectKind = "branch_gone" if noun == "branch" else "tag_gone"
    for token in re.findall(NAME, _one(found, "after", "before", "given")):
        name = path(token)
        if name.lower() not in NO_REF:
            yield Effect(kind=kind, name=name)


def _one(found: "re.Match[str]", *groups: str) -> str:
    return next((found[group] for group in groups if found[group]), "")
