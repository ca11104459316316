"""Which failures a gate's output names, in a form that can be compared between two runs.

Positions, times and addresses are left out of a failure's name, since they move when
nothing else does. Where the output says how many failures there were and fewer can be
named, or the run broke off, the list is not whole, and nothing may be concluded from it.
"""

import re
from collections import Counter

import msgspec

from pm_orchestrator.domain.late_pattern import LatePattern

CUT = "characters left out]"

NAMED: tuple[LatePattern, ...] = tuple(
    LatePattern(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:FAILED|ERROR) ([\w./\\-]+\.\w+(?:::[^\n]+?)?)(?: - .*)?$",  # pytest
        r"^(?:FAIL|ERROR): (\w+ \([\w.<>]+\))",  # unittest
        r"^[ \t]*--- FAIL: (\S+) \(",  # go
        r"^test (\S+) \.\.\. FAILED$",  # cargo
        r"^[ \t]+● (.+)$",  # jest
        r"^ ?(?:FAIL|❯|×)[ \t]+(\S+\.\w+ > .+?)(?: \d+m?s)?$",  # vitest
        r"^[ \t]+\d+\) ([^\n]+?):?$",  # mocha
        r"^[ \t]*not ok \d+(?: -)? (?!.*# (?:TODO|SKIP))(.+)$",  # TAP, bats, node --test
        r"^[ \t]*✖ (?!\d+ problems? |failing tests:)(.+?)(?: \([\d.]+ms\))?$",  # node --test
    )
)
# `path:line:col: message`, as compilers and linters have it; the position is left out.
LINT_LINE = LatePattern(
    r"^(?P<path>(?:\./)?[\w@][\w./@-]*\.\w+):\d+(?::\d+)?:? +(?P<text>[^\n]+)$", re.MULTILINE
)
ESLINT_FILE = LatePattern(r"^(/?[\w./-]+\.[cm]?[jt]sx?)$")
ESLINT_LINE = LatePattern(r"^ +\d+:\d+ +error +(.+)$")
COVERAGE = LatePattern(
    r"^.*\b(?:fail[- ]?under|Required test coverage|coverage threshold)\b.*", re.M | re.I
)
# Each captures how many failures the tool itself counted.
COUNTED: tuple[LatePattern, ...] = tuple(
    LatePattern(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:=+ )?(?:(?P<a>\d+) failed)(?:.*?(?P<b>\d+) errors?)?.* in [\d.]+s",  # pytest
        r"^(?:=+ )?(?:\d+ \w+, )*(?P<b>\d+) errors? in [\d.]+s",  # pytest
        r"^FAILED \((?:failures=(?P<a>\d+))?(?:, )?(?:errors=(?P<b>\d+))?",  # unittest
        r"^test result: FAILED\. \d+ passed; (?P<a>\d+) failed",  # cargo
        r"^Tests:[ \t]+(?P<a>\d+) failed",  # jest
        r"^[ \t]+(?P<a>\d+) failing$",  # mocha
        r"^# (?:fail|failed) (?P<a>\d+)$",  # TAP, node --test
        r"^Found (?P<a>\d+) errors?",  # ruff, mypy
    )
)
BROKEN_OFF = LatePattern(
    r"stopping after \d+ failures|Interrupted: |could not compile|\[build failed\]|\[setup failed\]"
    r"|^Segmentation fault|^Fatal Python error|Test suite failed to run|INTERNALERROR"
    r"|^Bail out!|panic: test timed out|OutOfMemory|heap out of memory|^Killed$",
    re.MULTILINE,
)
NOISE = LatePattern(r"0x[0-9a-f]+|\b\d+(?:\.\d+)?m?s\b")


class Failures(msgspec.Struct, frozen=True):
    """What a red gate named."""

    names: Counter[str]
    whole: bool
    """Whether these are all there were."""


def failures_in(output: str, project: str = "") -> Failures:
    """The failures named in `output`; `project` is cut out of paths."""
    text = output.replace(f"{project.rstrip('/')}/", "") if project else output
    tests = Counter[str](dict.fromkeys(_tests(text), 1))
    lint = Counter(_lint(text))
    names = tests or lint
    if COVERAGE.search(text):
        names["coverage threshold"] = 1
    whole = bool(names) and CUT not in text and not BROKEN_OFF.search(text)
    return Failures(names, whole and _counted(text) <= sum(names.values()))


def _tests(text: str) -> list[str]:
    found: list[str] = []
    for pattern in NAMED:
        found += [NOISE.sub("", name).strip() for name in pattern.findall(text)]
    return [name for name in found if name]


def _lint(text: str) -> list[str]:
    found = [
        f"{m['path'].removeprefix('./')}: {NOISE.sub('', m['text'])}"
        for m in LINT_LINE.finditer(text)
    ]
    file = ""
    for line in text.splitlines():
        if header := ESLINT_FILE.match(line):
            file = header[1]
        elif entry := ESLINT_LINE.match(line):
            found.append(f"{file}: {' '.join(entry[1].split())}")
    return found


def _counted(text: str) -> int:
    most = 0
    for pattern in COUNTED:
        total = 0
        for found in pattern.finditer(text):
            total += sum(int(n) for n in found.groupdict().values() if n)
        most = max(most, total)
    return most
