"""A change of a gate that was asked for is not an offence.

An instruction speaks of a setting by its subject (coverage, the linter, types, CI, the test
command) or by the name of a tool or file. It asks for a change where that sentence does not
ask to keep it; and where a threshold goes down, it says so or says to what. The same edit
without being asked for is a weakening.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pm_orchestrator.domain.judging.gate import GateKind
from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.check_files import is_setting
from pm_orchestrator.gates.compare.task_names import names_path, names_word
from pm_orchestrator.gates.weaker.gate_config import HIDDEN, tool_name

# The same thing in the words of people, of tools and of their files.
SUBJECTS: tuple[tuple[LatePattern, LatePattern], ...] = tuple(
    (LatePattern(of_finding, re.IGNORECASE), LatePattern(said, re.I | re.ASCII))
    for of_finding, said in (
        (
            r"cov|fail.?under|threshold|branches|functions|lines|statements|nyc|c8",
            r"coverage|\bcov\b|threshold|カバレッジ|網羅",
        ),
        (
            r"ruff|flake8|pylint|eslint|black|isort|rubocop|clippy|golangci|lint|hidden from|select"
            r"|pre-commit",
            r"\blint\w*|\bruff\b|flake8|pylint|eslint|\bblack\b|\bisort\b|rubocop|clippy|golangci"
            r"|line.?length|\brules?\b|pre-commit|リンタ|リント|静的解析|行の長さ|ルール",
        ),
        (
            r"mypy|pyright|tsc|tsconfig|types",
            r"\btyp(?:e|es|ed|ing)\b|mypy|pyright|\btsc\b|型",
        ),
        (
            r"workflows|gitlab-ci|circleci|azure|jenkins|travis|pipeline|codecov",
            r"\bCI\b|pipeline|workflow|github actions|jenkins|travis|circleci|codecov|継続的",
        ),
        (
            r"pytest|tox|nox|jest|vitest|mocha|phpunit|ava|target test|script (?:pre|post)?test"
            r"|which tests|conftest",
            r"pytest|\btox\b|\bnox\b|\bjest\b|vitest|mocha|phpunit|\bava\b|conftest"
            r"|\btest (?:command|script|target|runner|suite|setup|config\w*|settings?)|make test"
            r"|npm test|\b(?:default|nightly) (?:test )?(?:run|job)\b|\bmarkers?\b"
            r"|テスト(?:の)?(?:コマンド|設定|ランナー|実行|スクリプト|ターゲット)",
        ),
        (r"target lint|script (?:pre|post)?lint", r"\blint\b|make lint|リント"),
    )
)
SENTENCE = LatePattern(r"(?<=[.!?;:\n])\s+|(?<=[。！？\n])|,\s+(?=but\b|without\b|and keep\b)")
KEEPS = LatePattern(
    r"\b(?:keep|stay|remain|do not|don't|never|without (?:chang|touch|lower|weaken|break)\w*"
    r"|leave \w+ (?:alone|as|un)|at least|make sure|ensure|still)\b"
    r"|ないで|そのまま|維持|変えず|下げず|保っ|保つ|満たす",
    re.IGNORECASE | re.ASCII,
)
LOWERS = LatePattern(
    r"\b(?:lower|reduc|decreas|drop|relax|loosen|disabl|remov|turn(?:ed|ing)? off|stop|switch off"
    r"|get rid|delet|allow)\w*|下げ|緩|減ら|引き下げ|無効|外し|外す|削除|やめ|なくし|不要",
    re.IGNORECASE | re.ASCII,
)
# Who wants findings of a linter gone has not asked it to look away.
HIDES = LatePattern(
    r"\b(?:hid(?:e|ing|den)|ignor|exclud|suppress|silenc|skip|exempt|leav|noqa|nocheck)\w*"
    r"|無視|抑制|除外|対象外",
    re.IGNORECASE | re.ASCII,
)
PUTS_IN = LatePattern(
    r"\A\s*(?:please\s+)?(?:bump|upgrad|add|rais|increas|pin|set)\w*\b"
    r"|追加し|上げ|更新し",
    re.IGNORECASE | re.ASCII,
)
MIXED = LatePattern(
    r"(?:^|/)(?:package\.json|pyproject\.toml|setup\.cfg|[^/]*[Mm]akefile|[^/]*\.mk)$"
)
CHECKS = LatePattern(
    r"\b(?:tests?|lint\w*|checks?|coverage|gates?|fail_under|addopts)\b|テスト|チェック|検査|リント",
    re.IGNORECASE | re.ASCII,
)
NO_TOOLS = frozenset(
    {"package", "makefile", "pyproject", "setup", "config", "tests", "test", "conftest"}
)
"""What files of settings are called that belong to no tool."""
NUMBER = LatePattern(r"\d+(?:\.\d+)?")
TAKEN = LatePattern(r" without (?P<rules>.+) -> gone$")
RULE_LIST = LatePattern(
    r"\b(?:rules?|select|checks?|linter)\b|ルール|リンタ", re.IGNORECASE | re.ASCII
)
LOWERED = LatePattern(r"-> (?P<now>gone|\d+(?:\.\d+)?)$")


def is_asked_for(instruction: str, finding: Dilution) -> bool:
    """Whether the instruction asks for the change of a setting that was found."""
    return any(_asks(sentence, finding) for sentence in SENTENCE.split(instruction) if sentence)


def asking_sentences(instruction: str) -> Iterator[str]:
    """The sentences that ask for something, and not for something to stay."""
    return (s for s in SENTENCE.split(instruction) if s and not KEEPS.search(s))


def is_subject(sentence: str, text: str) -> bool:
    """Whether a sentence speaks of what a text is about, in other words than its own."""
    return any(of.search(text) and said.search(sentence) for of, said in SUBJECTS)


def puts_in(instruction: str) -> bool:
    """Whether something is only to be added, or to be newer than it was."""
    return PUTS_IN.search(instruction) is not None and LOWERS.search(instruction) is None


def takes_away(before: str | None, after: str | None) -> bool:
    """Whether lines are gone for which nothing has come."""
    import difflib

    old, new = _lines(before), _lines(after)
    steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return any(step == "delete" for step, *_ in steps)


def _lines(text: str | None) -> list[str]:
    lines = (line.strip() for line in (text or "").splitlines())
    return [line for line in lines if line and not line.startswith(("#", "//", ";"))]


def asks_for_file(instruction: str, path: str, kind: GateKind) -> bool:
    """Whether the instruction asks for what a file of settings says about a kind of checks.

    A linter may be spoken of by its name alone; how tests are chosen has to be tried.
    """
    detail = "lint" if kind == "lint" and is_setting(path) else "settings"
    return is_asked_for(instruction, Dilution(kind="gate_changed", path=path, detail=detail))


def _asks(sentence: str, finding: Dilution) -> bool:
    if KEEPS.search(sentence) or not _speaks_of(sentence, finding):
        return False
    if finding.detail == HIDDEN and not (HIDES.search(sentence) or LOWERS.search(sentence)):
        return False
    lowered = LOWERED.search(finding.detail)
    if lowered is None or finding.kind != "threshold_lowered":
        return True
    taken = TAKEN.search(finding.detail)
    if taken is not None:
        # A list of rules loses only those that are spoken of.
        named = (names_word(sentence, rule) for rule in taken["rules"].split(", "))
        return all(named) or RULE_LIST.search(sentence) is not None
    numbers = {float(number) for number in NUMBER.findall(sentence)}
    if lowered["now"] == "gone":
        return LOWERS.search(sentence) is not None
    # Who says how far it may go down has said it.
    return float(lowered["now"]) in numbers if numbers else LOWERS.search(sentence) is not None


def _speaks_of(sentence: str, finding: Dilution) -> bool:
    if is_setting(finding.path) and names_path(sentence, finding.path):
        # A file that holds more than checks has to be spoken of with them.
        return MIXED.search(finding.path) is None or CHECKS.search(sentence) is not None
    tool = tool_name(finding.path)
    if tool is not None and len(tool) > 2 and tool not in NO_TOOLS and names_word(sentence, tool):
        return True
    about = f"{PurePosixPath(finding.path).as_posix()} {finding.detail}"
    return any(it.search(about) and said.search(sentence) for it, said in SUBJECTS)
