"""Which tests a file holds, for the languages whose tests can be recognised.

Python is parsed. For the others a test reaches from its own opening line to that of the
next one, which is enough to see whether it is switched off and whether it checks
anything; no file is ever run for it.
"""

import re
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.python_tests import KnownTest, python_tests


class Language(msgspec.Struct, frozen=True):
    """How tests are written in one language."""

    files: LatePattern
    opening: LatePattern
    """Opens a test; the group `name` is its name, `before` what stands ahead of it."""
    skips: LatePattern
    """Found in a test's opening or body: it is switched off."""
    whole: LatePattern
    """Found anywhere: every test of the file is switched off."""
    checks: LatePattern


NEVER = LatePattern(r"(?!)")
JAVASCRIPT = Language(
    LatePattern(
        r"(?:^|/)__tests__/.*\.[cm]?[jt]sx?$|[._-](?:test|spec)s?\.[cm]?[jt]sx?$|(?:^|/)tests?/.*\.[cm]?[jt]sx?$"
    ),
    LatePattern(
        r"^[ \t]*(?P<before>(?:[xf]?(?:it|test|specify))(?:\.\w+)*)(?:\([^()\n]*\))?\s*\(\s*"
        r"(?P<quote>['\"`])(?P<name>.+?)(?P=quote)",
        re.MULTILINE,
    ),
    LatePattern(
        r"\A\s*(?:x(?:it|test|specify)\b|\w+\.(?:skip|todo|failing|fixme)\b)|^\s*(?:this|t|test)\.skip\(",
        re.M,
    ),
    LatePattern(
        r"^[ \t]*(?:xdescribe|describe\.skip|suite\.skip|context\.skip)\b"
        r"|^[ \t]*(?:fit|fdescribe|(?:it|test|describe)\.only)\b",
        re.M,
    ),
    LatePattern(
        r"\b(?:expect|assert\w*|should|verify)\b(?!\(true\)\.toBe\(true\))|\bt\.(?:is|true|false|deepEqual|equal|ok|throws)\b"
    ),
)
GO = Language(
    LatePattern(r"_test\.go$"),
    LatePattern(r"^(?P<before>func )(?P<name>(?:Test|Fuzz|Example)\w*)\(", re.MULTILINE),
    LatePattern(r"\b\w+\.Skip(?:Now|f)?\("),
    LatePattern(
        r"^//(?:go:build| \+build) (?:ignore|never|none|false|disabled|skip)\b", re.MULTILINE
    ),
    LatePattern(
        r"\b\w+\.(?:Error|Fatal|Fail)\w*\(|\b(?:assert|require|is|qt|cmp)\.\w+\(|// Output:"
    ),
)
RUST = Language(
    LatePattern(r"\.rs$"),
    LatePattern(
        r"^[ \t]*(?P<before>(?:#\[[^\]\n]*\]\s*)*#\[(?:\w+::)*test(?:\([^\]\n]*\))?\]\s*"
        r"(?:#\[[^\]\n]*\]\s*)*)"
        r"(?:pub\s+)?(?:async\s+)?fn\s+(?P<name>\w+)",
        re.MULTILINE,
    ),
    LatePattern(r"\A\s*(?:#\[[^\]\n]*\]\s*)*#\[ignore\b"),
    LatePattern(r"^#!\[cfg\((?:any\(\)|FALSE)\)\]", re.MULTILINE),
    LatePattern(
        r"\b(?:debug_)?assert\w*!(?!\(true\))|\bpanic!|\.unwrap\w*\(|\.expect\w*\(|should_panic|\bprop_assert"
    ),
)
JAVA = Language(
    LatePattern(r"\.(?:java|kt)$"),
    LatePattern(
        r"^[ \t]*(?P<before>(?:@\w+(?:\([^)\n]*\))?\s*)*@(?:Parameterized)?Test\b"
        r"(?:\([^)\n]*\))?\s*(?:@\w+(?:\([^)\n]*\))?\s*)*)"
        r"(?:public\s+|internal\s+)?(?:void|fun)\s+`?(?P<name>\w[\w ]*)`?\s*\(",
        re.MULTILINE,
    ),
    LatePattern(r"@(?:Disabled|Ignore)\b"),
    LatePattern(r"^@(?:Disabled|Ignore)\b", re.MULTILINE),
    LatePattern(r"\b(?:assert\w*|verify|expect\w*|fail|should\w*)\b"),
)
RUBY = Language(
    LatePattern(r"_(?:test|spec)\.rb$|(?:^|/)test_\w+\.rb$"),
    LatePattern(
        r"^[ \t]*(?:(?P<before>x?(?:it|specify|test|scenario))[ (]+"
        r"(?P<quote>['\"])(?P<name>.+?)(?P=quote)"
        r"|def (?P<method>test_\w+))",
        re.MULTILINE,
    ),
    LatePattern(
        r"\A\s*x(?:it|specify|scenario)\b|^\s*(?:skip|pending)\b|\bskip: true", re.MULTILINE
    ),
    LatePattern(r"^\s*xdescribe\b|^\s*xcontext\b", re.MULTILINE),
    LatePattern(r"\b(?:expect|assert\w*|refute\w*|should|must_\w+)\b"),
)
SHELL = Language(
    LatePattern(r"\.bats$"),
    LatePattern(r"^(?P<before>@test )(?P<quote>['\"])(?P<name>.+?)(?P=quote)", re.MULTILINE),
    LatePattern(r"^\s*skip\b", re.MULTILINE),
    NEVER,
    LatePattern(r"^\s*(?:\[|run\b|assert\w*|grep|diff|test\b)", re.MULTILINE),
)
LANGUAGES = (JAVASCRIPT, GO, RUST, JAVA, RUBY, SHELL)
PYTHON_TESTS = LatePattern(r"(?:^|/)(?:test_[^/]*|[^/]*_test|tests?)\.py$|(?:^|/)tests?/.*\.py$")
COMMENT = {"py": "#", "rb": "#", "bats": "#"}


def is_test_file(path: str) -> bool:
    """Whether a file is there to hold tests."""
    if PYTHON_TESTS.search(path):
        return True
    return any(language.files.search(path) for language in LANGUAGES if language is not RUST) and (
        not path.endswith((".java", ".kt")) or "test" in path.lower()
    )


def may_hold_tests(path: str) -> bool:
    """Whether tests of this file would be recognised."""
    return bool(PYTHON_TESTS.search(path)) or any(
        language.files.search(path) for language in LANGUAGES
    )


def tests_in(path: str, text: str) -> tuple[KnownTest, ...]:
    """Every test that can be recognised in the file."""
    if PurePosixPath(path).suffix == ".py":
        return python_tests(text) if PYTHON_TESTS.search(path) else ()
    for language in LANGUAGES:
        if language.files.search(path):
            return _by_openings(language, _without_comments(path, text))
    return ()


def _by_openings(language: Language, text: str) -> tuple[KnownTest, ...]:
    openings = list(language.opening.finditer(text))
    all_off = language.whole.search(text) is not None
    ends = [*(found.start() for found in openings[1:]), len(text)][: len(openings)]
    return tuple(
        _test(language, text, *pair, all_off=all_off) for pair in zip(openings, ends, strict=True)
    )


def _test(
    language: Language, text: str, found: re.Match[str], end: int, *, all_off: bool
) -> KnownTest:
    whole, body = text[found.start() : end], text[found.end() : end]
    groups = found.groupdict()
    return KnownTest(
        name=groups.get("name") or groups.get("method") or "",
        skipped=all_off or language.skips.search(whole) is not None,
        checks=len(language.checks.findall(body)),
        body=" ".join(body.split()),
    )


def _without_comments(path: str, text: str) -> str:
    """Lines that are nothing but a comment say nothing; directives are kept."""
    mark = COMMENT.get(PurePosixPath(path).suffix.lstrip("."), "//")
    return "\n".join(
        line
        for line in text.splitlines()
        if not line.lstrip().startswith(mark)
        or line.startswith(("//go:", "// +build", "// Output"))
        or line.lstrip().startswith("// Output:")
    )
