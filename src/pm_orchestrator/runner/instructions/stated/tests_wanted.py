"""Are tests to be made, and is something to be made besides them?

Tests that were asked for have to come, and who was to repair or to build something has not
done so by tests alone. Only what is surely asked for is demanded: not what depends, what is
set aside, or what speaks of a test command or of a product that tests something.
"""

import re
from collections.abc import Iterator

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.purpose import Purpose
from pm_orchestrator.gates.compare.task_names import names_path
from pm_orchestrator.runner.instructions.words.pasted import spoken
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.verbs import VERBS
from pm_orchestrator.runner.instructions.words.wording import (
    clauses,
    is_japanese,
    just_before,
    plain,
    sentences,
)

# What stands between the verb and the tests only says which ones.
ASKED = pattern(
    r"""
    \b(?:add(?:ing)?|writ(?:e|ing)|creat(?:e|ing)|includ(?:e|ing)|provid(?:e|ing)|supply|with|plus|and|also)\s+
    (?:(?!(?:without|no|the|that|which|who|to|it|so|for|in|of|on|with|from|by|at|as|its?|their|any|all|existing|update|run|fix|pass|add|write|create|include|provide|make|npm|yarn|pnpm|cargo|go)\b)[\w-]+\s+){0,4}?
    (?:tests|test\s+(?:cases?|functions?|methods?)|test)(?![\w/-])
    (?=\s*(?:[.,;:!?)](?!\w)|$)|\s+(?:for|that|which|covering|of|in|when|where|and|too|also|as|by|there|here)\b)
    """,
    needs="test",
)
MADE_AHEAD = pattern(
    r"\b(?:add|creat|implement|introduc|writ|build|provid|generat|mak|giv|support|allow|let|fix|repair|correct|extend|chang|extract|refactor|accept|handl)\w*"
)
ASKED_IN_JAPANESE = LatePattern(
    r"テスト(?:コード|ケース)?(?:も|を)?[^、。をも]{0,8}?(?:(?:追加|作成)(?:し(?!ない|なくて|ません|たら|た[^い])|を|お|$|。)"
    r"|(?:書い|作っ|足し|つけ|付け)て(?!いる|ある|る))|テスト(?:付き|込み)で"
)
DEPENDS = pattern(
    r"""
    \b(?:if|unless|whether|where(?:ver)?|when(?:ever)?|as)\s+(?:it\s+is\s+|it's\s+|they\s+are\s+)?
    (?:needed|necessary|required|possible|missing|there|it|they|you|none|no|appropriate|applicable|sensible|that|this|the)\b
    |必要(?:なら|であれば|に応じ|があれば)|可能(?:なら|であれば)|無ければ|なければ|なら(?:ば)?、
    """
)
SET_ASIDE = pattern(
    r"""
    (?:\bnot|n't|\bnever|\bno\s+need|\bwithout|\binstead\s+of|\brather\s+than|\bbefore|\bafter|\bmaybe|\bperhaps|\boptional(?:ly)?
    |\bfeel\s+free|\blater|\b(?:i|we)(?:'ll|\s+will)|\b(?:you|we|i)\s+(?:may|can|could|might))\b[^,;.]{0,40}$
    """
)
# "Fix all references, including tests" names some of what is there.
AMONG_OTHERS = pattern(r"\b(?:all|every|everything|any)\b[^;.]{0,60}\binclud(?:e|ing)\s[^;.]*$")
POLITE_QUESTION = pattern(r"^(?:please\s+)?(?:can|could|would|will)\s+(?:you|we)\b")
ABOUT_TESTS = pattern(
    r"""
    \btest\w*\b|\w_tests?\b|\bspecs?\b|\bcoverage\b|\bfixtures?\b|\bmocks?\b|\bstubs?\b|\bsnapshots?\b|\bassert\w*\b|\bbenchmarks?\b
    |\bci\b|\bchecks?\b|\bsuite\b|\b(?:pytest|unittest|jest|vitest|mocha|tox|nox)\b|\be2e\b|\bcases?\b|\bexamples?\b|\bconftest\b
    |テスト|カバレッジ|フィクスチャ|モック|スナップショット|検証|ケース|期待値
    """
)
BUILDS = frozenset({"make", "give", "set", "change"})
BUILDS_TOO = frozenset(
    {"fix", "correct", "repair", "support", "allow", "let", "enable", "disable", "handle", "rename"}
)
BUILDS_IN_JAPANESE = LatePattern(
    r"(?:実装|追加|修正|対応|変更|作成|改修|改善)し(?:て|、)|直し(?:て|、)|(?:でき|動く|返す|なる|出る)ように"
)


def asks_for_tests(instruction: str) -> bool:
    """Whether tests are surely part of what is to be made."""
    if "test" not in instruction.lower() and "テスト" not in instruction:
        return False
    return any(_wants_tests(sentence) for sentence in _sentences(instruction))


def asks_for_more_than_tests(instruction: str) -> bool:
    """Whether tests are to be made, and something else surely has to change with them."""
    if Purpose(instruction).mends_checks or DEPENDS.search(plain(instruction)):
        return False
    return asks_for_tests(instruction) and any(map(_builds, _clauses(instruction)))


def builds_file(instruction: str, path: str) -> bool:
    """Whether a file is named where something other than tests is to be made or changed."""
    return any(names_path(clause, path) and _builds(clause) for clause in _clauses(instruction))


def _sentences(instruction: str) -> list[str]:
    return sentences(plain(spoken(instruction)))


def _clauses(instruction: str) -> Iterator[str]:
    for sentence in _sentences(instruction):
        japanese = is_japanese(sentence)
        yield from sentence.split("、") if japanese else clauses(sentence)


def _wants_tests(sentence: str) -> bool:
    if DEPENDS.search(sentence):
        return False
    if sentence.endswith("?") and not POLITE_QUESTION.search(sentence):
        return False
    if is_japanese(sentence):
        return ASKED_IN_JAPANESE.search(sentence) is not None
    for found in ASKED.finditer(sentence):
        before = just_before(sentence, found.start())
        if SET_ASIDE.search(before) or AMONG_OTHERS.search(before + found.group()):
            continue
        if _is_joined(found) and not MADE_AHEAD.search(before):
            continue
        return True
    return False


def _is_joined(found: "re.Match[str]") -> bool:
    """Whether the tests come with something, and are not what a verb is for."""
    return found.group().split(maxsplit=1)[0].lower() in {"with", "plus", "and", "also"}


def _joined_to_it(found: "re.Match[str]") -> str:
    return "" if _is_joined(found) else found.group()


def _builds(clause: str) -> bool:
    """Whether it has something made or changed that is no test."""
    clause = ASKED.sub(_joined_to_it, clause)
    if ABOUT_TESTS.search(clause):
        return False
    if is_japanese(clause):
        return BUILDS_IN_JAPANESE.search(f"{clause}、") is not None
    verb = clause.split(maxsplit=1)[0].lower().strip(",:") if clause.strip() else ""
    return verb in BUILDS_TOO or VERBS.get(verb) in BUILDS
