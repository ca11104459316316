"""Directories, modes, links and moves that an English sentence asks for.

Only a clause that begins with the verb asks; "a script that commits" and "do not commit" do not.
"""

import re
from collections.abc import Iterator

from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.effects.english_history import (
    MAKE,
    NAME,
    NAMES,
    SOME,
    english_history,
    english_untracked,
)
from pm_orchestrator.runner.instructions.effects.moved_together import english_moved
from pm_orchestrator.runner.instructions.effects.script_folders import english_scripts
from pm_orchestrator.runner.instructions.file_names import Mention
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern
from pm_orchestrator.runner.instructions.words.wording import without_politeness

FILE = "\x00\\d+\x00"
FILES = joined(r"<FILE>(?:(?:,\s*|,?\s+and\s+)(?:the\s+)?<FILE>)*", FILE=FILE)
ENDS = joined(
    r"""
    (?=\s*(?:$|[.,;:!?)(]|(?:and|with|in|under|for|inside|at|to|from|first|containing|by|off|so
    |then|that\s+holds)\b))
    """
)
FOLDER = r"(?:sub-?)?(?:director(?:y|ies)|folders?)"
NO_NAME = frozenset(
    [
        "structure",
        "listing",
        "tree",
        "layout",
        "walker",
        "name",
        "names",
        "path",
        "paths",
        "for",
        "to",
        "in",
        "with",
        "that",
        "of",
        "where",
        "and",
        "containing",
        "from",
        "off",
        "so",
        "on",
        "called",
        "named",
        "temporary",
        "temp",
        "new",
        "separate",
        "single",
        "common",
        "shared",
        "nested",
        "empty",
        "hidden",
        "given",
        "missing",
        "parent",
        "whole",
        "entire",
        "current",
        "same",
        "working",
        "home",
        "output",
        "target",
        "user",
        "unused",
        "old",
        "this",
        "it",
        "if",
        "when",
        "which",
        "project",
        "root",
        "top-level",
        "dedicated",
        "feature",
        "git",
        "local",
        "remote",
    ]
)
# "Make folders sortable" says how they are to be.
MADE_FOLDER = pattern(
    r"""
    (?!make\s+(?:directories|folders)\s+(?!called\b|named\b)[a-z]+\b(?![/.]))<MAKE>\s+<SOME>(?:(?:two|three|new|empty|top-level)\s+)*(?:<FOLDER>\s+(?:(?:called|named)\s+)?(?P<after><NAMES>)
    |(?P<before><NAMES>)\s+<FOLDER>)<ENDS>|mkdir\s+(?:-p\s+)?(?P<shell><NAME>(?:\s+(?:\x00\d+\x00/?|[\w.-]+/[\w./-]*))*)<ENDS>
    """,
    MAKE=MAKE, SOME=SOME, FOLDER=FOLDER, NAMES=NAMES, NAME=NAME, ENDS=ENDS,
)  # fmt: skip
GONE_FOLDER = pattern(
    r"""
    (?:delete|remove|erase|drop|get\s+rid\s+of|rm\s+-rf?)\s+<SOME>(?:(?:old|whole|entire|empty|unused|obsolete)\s+)*
    (?:<FOLDER>\s+(?:(?:called|named)\s+)?(?P<after><NAMES>)|(?P<before><NAMES>)\s+<FOLDER>|(?P<slash>[\w./-]+/|\x00\d+\x00/))<ENDS>
    """,
    SOME=SOME, FOLDER=FOLDER, NAMES=NAMES, NAME=NAME, ENDS=ENDS,
)  # fmt: skip
SUBMODULE = pattern(
    r"add\b[^.]*\bas\s+<SOME>(?:git\s+)?submodule\s+(?:at|in|under|into|to)\s+(?P<at><NAME>)",
    SOME=SOME, NAME=NAME,
)  # fmt: skip
EXECUTABLE = pattern(
    r"""
    (?:make|mark|set)\s+(?:(?:the\s+)?(?:file|script)\s+)?(?P<made>it|them|this|both|(?:the\s+)?script|<FILES>)\s+
    (?:as\s+|to\s+be\s+)?executable\b
    |(?:git\s+update-index\s+)?(?:--)?chmod\s+(?:\S*\+x|0?[75][75][15])\s+(?P<shell><FILE>(?:\s+<FILE>)*)
    |(?:create|make|write|add)\s+an?\s+(?:new\s+)?executable\s+(?:[\w-]+\s+){0,2}?(?:file|script|program)\s+(?:(?:called|named)\s+)?(?P<new><FILES>)
    |(?:give|grant)\s+(?P<given>it|<FILES>)\s+(?:the\s+)?(?:execut\w+|\+x)\s+(?:permissions?|bit|rights?)
    |(?:add|set)\s+(?:the\s+)?(?:execut\w+|\+x)\s+(?:permissions?|bit|flag)\s+(?:to|on|for)\s+(?P<to>it|<FILES>)
    """,
    FILES=FILES,
    FILE=FILE,
)
LINKED = pattern(
    r"""
    (?:(?:create|add|make|set\s+up|put|leave|keep|have)\s+(?:an?\s+|the\s+)?(?:relative\s+|soft\s+)?(?:sym-?\s?links?|symbolic\s+links?|soft\s?links?)\b
    |make\s+<FILE>\s+an?\s+(?:relative\s+)?(?:sym-?link|symbolic\s+link|soft\s?link)\b|(?:sym|soft)-?link\s+|ln\s+-s\w*\s+|link\s+(?=<FILE>\s+(?:to|->|→)))
    """,
    FILE=FILE,
)
MOVED = pattern(
    r"""
    (?:git\s+)?(?:rename|move|mv)\s+(?:the\s+)?(?:file\s+)?(?P<files><FILES>)\s+(?:to|into|as|under|in|inside|->|→)?\s*
    (?:the\s+)?(?:(?:directory|folder)\s+)?(?P<to><NAME>)(?P<slash>/)?(?:\s+(?P<folder><FOLDER>))?
    """,
    FILES=FILES, NAME=NAME, FOLDER=FOLDER,
)  # fmt: skip
MOVED_FOLDER = pattern(
    r"""
    (?:git\s+)?(?:rename|move|mv)\s+(?:the\s+)?(?:<FOLDER>\s+(?P<after><NAME>)|(?P<before><NAME>)\s+<FOLDER>)\s+
    (?:to|into|as|->|→)\s+(?:the\s+)?(?P<to><NAME>)<ENDS>
    """,
    NAME=NAME, FOLDER=FOLDER, ENDS=ENDS,
)  # fmt: skip
ON_BRANCH = pattern(
    r"\b(?:on|in)\s+a\s+(?:new|separate)\s+(?:git\s+)?branch(?:\s+(?:called\s+|named\s+)?(?P<name><NAME>))?",
    NAME=NAME,
)
# Ahead of the clause: it may say what something else will do, or when.
AHEAD = pattern(
    r"""
    \b(?:that|which|who)\b(?!\s+\w+s\b)|\b(?:how|why|if|unless|whenever|whether|in\s+case)\b|\bnot\b|n't\b(?!\s+forget)
    |\bto\s+(?!(?:the|our|my|an?|main|master|develop|trunk)\s|[\w/-]*\.\w|\x00|\w+\s*$)[a-z]+\s+(?:\w+\s+)*$
    """
)
# Of several things that are to be done, this is said of the last one.
OF_THE_LAST = pattern(
    r"\b(?:if|where|when)\s+(?:there\s+(?:is|are)\s+(?:any|one|some)|any\b|needed|necessary|(?:it|they|one)\s+exists?)"
)
MAYBE = pattern(r"\b(?:if|unless|whenever)\b|\bwhen\s+(?:the|a|it|users?)\b")
SCRIPT = pattern(r"\.(?:sh|bash|zsh|py|rb|pl|js|mjs|ts|php|lua)$|(?:^|/)[\w-]+$")
BOUNDARY = LatePattern(
    r",\s+(?:and\s+)?(?:then\s+)?|:\s+|;\s+|\s+-+\s+|\s*&&\s*|\s+(?:and\s+then|and|then|but)\s+",
    re.IGNORECASE,
)


def english_effects(text: str, named: list[Mention], last: str) -> Iterator[Effect]:
    """The effects of one sentence whose names are tokens; `last` is the name before it."""
    return _Clauses(text, named, last).effects()


class _Clauses:
    def __init__(self, text: str, named: list[Mention], last: str) -> None:
        self._named = named
        self._last = last
        self._text = text

    def effects(self) -> Iterator[Effect]:
        for start in (0, *(found.end() for found in BOUNDARY.finditer(self._text))):
            ahead, rest = self._text[:start], self._text[start:]
            if AHEAD.search(ahead):
                continue
            # A name in quotes may stand last, and its marks belong to it.
            clause = without_politeness(f"{rest} .").removesuffix(" .")
            before = self._text[: len(self._text) - len(clause)]
            if not _depends(clause):
                yield from self._in_the_tree(clause, before)
                yield from english_history(clause, self._path, before)
                last = (self._names_in(before) or [self._last])[-1]
                yield from english_untracked(clause, self._path, last)
        if (on := ON_BRANCH.search(self._text)) and not AHEAD.search(self._text[: on.start()]):
            yield Effect(kind="branched", name=self._path(on["name"] or ""))

    def _in_the_tree(self, clause: str, before: str) -> Iterator[Effect]:
        if found := MADE_FOLDER.match(clause):
            yield from self._folders("directory", found)
        if found := GONE_FOLDER.match(clause):
            yield from self._folders("gone", found)
        if found := SUBMODULE.match(clause):
            yield Effect(kind="directory", name=self._path(found["at"]).rstrip("/"))
        if several := english_scripts(clause, self._path):
            yield several
        elif found := EXECUTABLE.match(clause):
            yield from self._executable(found, before)
        if LINKED.match(clause):
            ends = BOUNDARY.search(clause)
            one = clause[: ends.start()] if ends else clause
            yield Effect(kind="linked", name="|".join(self._names_in(one)))
        yield from self._put_elsewhere(clause)

    def _put_elsewhere(self, clause: str) -> Iterator[Effect]:
        if together := english_moved(clause):
            yield together
        elif found := MOVED.match(clause):
            yield from self._moved(found)
        elif found := MOVED_FOLDER.match(clause):
            source = self._path(found["after"] or found["before"]).rstrip("/")
            if source.lower() not in NO_NAME:
                yield Effect(kind="moved", source=source, name=self._path(found["to"]).rstrip("/"))

    def _folders(self, kind: str, found: "re.Match[str]") -> Iterator[Effect]:
        text = next((t for t in found.groupdict().values() if t), "")
        for name in re.findall(NAME, text):
            path = self._path(name).rstrip("/")
            if path and path.lower() not in NO_NAME:
                yield Effect(kind="directory" if kind == "directory" else "gone", name=path)

    def _executable(self, found: "re.Match[str]", before: str) -> Iterator[Effect]:
        text = next((t for t in found.groupdict().values() if t), "")
        names = self._names_in(text)
        if not names:
            # "Make it executable": the script that was named last.
            earlier = self._names_in(before)
            names = [n for n in earlier if SCRIPT.search(n)][-1:] or earlier[-1:] or [self._last]
        for name in names:
            if name:
                yield Effect(kind="executable", name=name)

    def _moved(self, found: "re.Match[str]") -> Iterator[Effect]:
        sources = self._names_in(found["files"])
        to = self._path(found["to"])
        bare = "." not in to.rpartition("/")[2]
        folder = bool(found["slash"] or found["folder"]) or to.endswith("/")
        folder = folder or len(sources) > 1 or (bare and "/" not in to and "." in sources[0])
        for source in sources:
            if folder and (found["slash"] or found["folder"] or bare or to.endswith("/")):
                path = f"{to.rstrip('/')}/{source.rpartition('/')[2]}"
            elif len(sources) > 1:
                continue
            else:
                path = to
            yield Effect(kind="moved", source=source, name=path)

    def _names_in(self, text: str) -> list[str]:
        return [self._named[int(n)].name for n in re.findall(r"\x00(\d+)\x00", text)]

    def _path(self, token: str) -> str:
        number = re.fullmatch(r"\x00(\d+)\x00(/?)", token)
        if number:
            return self._named[int(number[1])].name + number[2]
        return token.strip("`'\"").removeprefix("./").rstrip(".,")


def _depends(clause: str) -> bool:
    """Whether what a clause asks for first depends on anything."""
    found = OF_THE_LAST.search(clause)
    head = clause[: found.start()].rstrip(" ,") if found else clause
    return MAYBE.search(head if BOUNDARY.search(head) else clause) is not None
