"""Does an instruction name a thing? Asked where only a named change is harmless."""

import re
from pathlib import PurePosixPath

from pm_orchestrator.domain.late_pattern import LatePattern

REMOVAL = LatePattern(
    r"\b(?:delet|remov|drop|retir|skip|disabl|ignor|exclud|xfail|clean(?:ing)? up|get rid"
    r"|expected fail|(?:known|expected) to fail)\w*"
    r"|\b(?:leav(?:e|ing)|left)\b[^.;\n]{0,40}\bout of\b"
    r"|削除|消|除去|取り除|スキップ|無効|除外|撤去|廃止",
    re.IGNORECASE | re.ASCII,
)
REPAIR = LatePattern(
    r"\b(?:fix|repair|correct|resolv|mak(?:e|ing)\b.*\b(?:pass|green)|broken)\w*|直|修正|修復|通る",
    re.IGNORECASE | re.ASCII,
)
# Tests that are to follow what else is asked for; whoever begins with them means them.
TESTS_FOLLOW = LatePattern(
    r"(?:[,;.]|\b(?:and|then|also|please))\s+(?:then\s+|also\s+)?"
    r"(?:fix|correct|repair)\w*\s+(?:up\s+)?(?:(?:the|its|their|all|any|existing)\s+)*tests?\b"
    r"|(?<=[、。，,てにしで\s])(?:既存の|関連する|対応する)?テスト(?:コード|ケース)?(?:も|を)"
    r"(?:[^、。\n]{0,8}?)(?:直|修正)"
    # "…も合わせて直して": whatever it is, it only follows.
    r"|[^、。\n\s]{1,20}\s*も\s*(?:合わせて|併せて|あわせて|一緒に)\s*(?:直|修正)",
    re.IGNORECASE | re.ASCII,
)
# "the tests", "all failing tests": no single one is meant.
TESTS_AT_LARGE = LatePattern(
    r"\b(?:the|all|every|failing|broken|red)\s+(?:\w+\s+){0,2}(?:tests?|test suite|build|ci)\b"
    r"|テスト(?:を|が|の失敗)",
    re.IGNORECASE | re.ASCII,
)
# Tests, whichever, that are red now.
RED_TESTS = LatePattern(
    r"\b(?:tests?|specs?|(?:test )?suite|build|ci|pipeline|pytest|jest|mocha|tox)\b[^.;\n]{0,60}?"
    r"\b(?:fail\w*|red|broken|breaks?|crash\w*)\b"
    r"|\b(?:fail\w*|red|broken)\s+(?:\w+\s+){0,2}(?:tests?|specs?|suite|build|ci|pipeline)\b"
    r"|(?:テスト|ビルド|\bCI|\btest)[^。\n]{0,20}?(?:落ち|失敗|通ら|通りません|赤|壊れ|こけ|コケ)",
    re.IGNORECASE | re.ASCII,
)
SAID_BESIDES = LatePattern(
    r"\b(?:ignor\w*|unrelated|other|not|never|known|already|anyway|separate\w*)\b|n't\b|無視|関係な|別の|既知"
    r"|ないで",
    re.IGNORECASE | re.ASCII,
)
PARTS = LatePattern(r"(?<=[.,!?;])\s+|(?<=[、。])|\n+")
LONG_ENOUGH = 8
"""Characters of a test's name that stands in a text by no chance."""
# Japanese is written without blanks, also around an identifier.
WORD = LatePattern(r"[^\W_぀-ヿ一-鿿]+|[぀-ヿ一-鿿]+")
AS_CODE = LatePattern(r"`[^`\n]+`|\b\w+\(|\b\w+_\w+\b", re.ASCII)
SPLIT_CASE = LatePattern(r"(?<=[a-z0-9])(?=[A-Z])")
COMMON_WORDS = LatePattern(
    r"(?:add|all|also|and|any|are|assert|assertion|boolean|bug|call|can|change|check|class|code"
    r"|could|create|def|delete|does|drop|each|else|error|every|exist|expect|false|file|files"
    r"|fix|for|from|function|has|have|how|implement|import|input|instead|into|its|lambda|line"
    r"|list|make|method|module|more|must|name|new|none|not|now|null|number|object|one|only|out"
    r"|output|pass|please|print|product|project|remove|rename|replace|require|result|return"
    r"|returns|run|self|set|should|some|string|than|that|their|them|then|there|these|this|true"
    r"|two|type|unittest|unit|update|use|value|values|was|were|when|which|will|with|without"
    r"|work|write|you|your|javascript|python|const|let|var|node|strict|equal|equals|testcase"
    r"|case|cases|main|pytest|describe|async|await|export|default)$"
)
"""Words of instructions and of code that say nothing about what is meant."""
EMPTY_WORDS = frozenset({"test", "tests", "spec", "should", "it", "the", "a", "of", "and", "to"})


def asks_to_remove(instruction: str) -> bool:
    """Whether something is to be taken away or switched off."""
    return REMOVAL.search(instruction) is not None


def asks_to_repair(instruction: str) -> bool:
    """Whether something is to be put right."""
    return REPAIR.search(TESTS_FOLLOW.sub(" ", instruction)) is not None


def means_all_tests(instruction: str) -> bool:
    """Whether the tests as a whole are to be repaired."""
    return asks_to_repair(instruction) and any(map(TESTS_AT_LARGE.search, _meant(instruction)))


def speaks_of_red(instruction: str) -> bool:
    """Whether red tests are to be repaired, and not only spoken of besides."""
    return asks_to_repair(instruction) and any(map(RED_TESTS.search, _meant(instruction)))


def _meant(instruction: str) -> list[str]:
    """The parts of an instruction that set nothing aside."""
    return [part for part in PARTS.split(instruction) if not SAID_BESIDES.search(part)]


def quotes(instruction: str, name: str) -> bool:
    """Whether the name of a test, as its runner prints it, stands in the instruction."""
    name = name.strip()
    return len(name) >= LONG_ENOUGH and name.lower() in instruction.lower()


def names_path(instruction: str, path: str) -> bool:
    """The path itself, or its file name."""
    return any(_stands_in(text, instruction) for text in (path, PurePosixPath(path).name))


def names_word(instruction: str, word: str) -> bool:
    """The exact identifier as a word of its own."""
    return bool(word) and _stands_in(word, instruction)


def describes(instruction: str, name: str) -> bool:
    """Whether every telling word of a test's name stands in the instruction."""
    telling = set(_words(name)) - EMPTY_WORDS
    return bool(telling) and telling <= set(_words(instruction))


def words_of(text: str) -> frozenset[str]:
    """All words in a text, parts of identifiers among them."""
    return frozenset(_words(text))


def things_named(instruction: str) -> frozenset[str]:
    """Words by which an instruction may name a thing; what is written as code always does."""
    as_code = " ".join(found.group().strip("`(") for found in AS_CODE.finditer(instruction))
    written = words_of(as_code) - EMPTY_WORDS
    return written | frozenset(filter(_tells, _words(instruction)))


def _tells(word: str) -> bool:
    if word.isdigit() or not word.isascii():
        return False
    long_enough = len(word) > 2 or any(map(str.isdigit, word))
    return long_enough and word not in EMPTY_WORDS and COMMON_WORDS.match(word) is None


def _words(text: str) -> list[str]:
    return [word.lower() for word in WORD.findall(SPLIT_CASE.sub(" ", text))]


def _stands_in(text: str, instruction: str) -> bool:
    found = rf"(?<![\w./-]){re.escape(text)}(?!\w|[./-]\w)"
    return re.search(found, instruction, re.IGNORECASE | re.ASCII) is not None
