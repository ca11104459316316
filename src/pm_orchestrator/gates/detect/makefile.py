"""Which targets a Makefile defines, without running make.

Asking make itself would run whatever the file's `$(shell …)` says. This reads
rules only, and errs on the side of not seeing one: a gate that is not seen is
reported as absent, a gate that is invented could never pass.
"""

import re

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.base_tree import ReadBase

# The order in which make looks for its file.
NAMES = ("GNUmakefile", "makefile", "Makefile")
MAX_INCLUDED = 8

# `a b: c`, `a:: c`, but not `a := c`, `a ::= c`.
RULE = LatePattern(r"(?P<targets>[^:=#\t][^:=#]*)::?(?![:=])(?P<rest>.*)")
# `test: CFLAGS = -g` gives a variable to a target that may have no rule at all.
TARGET_VARIABLE = LatePattern(
    r"\s*(?:(?:export|unexport|override|private)\s+)*[\w.-]+\s*(?:[?+!]|:{1,3})?="
)
INCLUDE = LatePattern(r"[-s]?include\s+(?P<files>.+)")
DEFINE = LatePattern(r"(?:override\s+|export\s+)*define\b")


async def makefile_targets(read: ReadBase) -> tuple[str, frozenset[str]] | None:
    """The project's Makefile by name, and the targets it and its includes define."""
    for name in NAMES:
        content = await read(name)
        if content is not None:
            return name, await _with_includes(read, content)
    return None


async def _with_includes(read: ReadBase, content: bytes) -> frozenset[str]:
    targets: set[str] = set()
    seen: set[str] = set()
    waiting = [content]
    while waiting:
        found, included = targets_in(waiting.pop().decode("utf-8", "replace"))
        targets |= found
        for name in included:
            if name in seen or len(seen) >= MAX_INCLUDED:
                continue
            seen.add(name)
            more = await read(name)
            if more is not None:
                waiting.append(more)
    return frozenset(targets)


def targets_in(text: str) -> tuple[set[str], list[str]]:
    """Targets with a rule in this text, and the plain names of files it includes."""
    targets: set[str] = set()
    included: list[str] = []
    in_define = False
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        if line.startswith("\t"):
            continue
        plain = line.split("#", 1)[0].strip()
        if in_define:
            in_define = plain != "endef"
        elif DEFINE.match(plain):
            in_define = True
        elif include := INCLUDE.fullmatch(plain):
            included += [name for name in include["files"].split() if "$" not in name]
        else:
            targets |= _rule_targets(plain)
    return targets, included


def _rule_targets(line: str) -> set[str]:
    rule = RULE.fullmatch(line)
    if rule is None or TARGET_VARIABLE.match(rule["rest"]):
        return set()
    # `.PHONY: test` promises a rule that must be found elsewhere.
    return {name for name in rule["targets"].split() if not name.startswith(".")}
