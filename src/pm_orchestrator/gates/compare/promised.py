"""What an instruction says a call gives, beside what the tests say it gives.

"`price(3)` becomes 'EUR 3.00'" is a test in plain words. A test of the very same call that
expects something else agrees with the product, and not with whoever asked for it.
"""

import re
from collections.abc import Iterator, Mapping

from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.check_files import is_test
from pm_orchestrator.gates.compare.purpose import stands
from pm_orchestrator.gates.compare.task_names import asks_to_repair

CALL = LatePattern(r"(?P<name>[A-Za-z_]\w*)\((?P<with>[^()\n]{0,80})\)", re.ASCII)
QUOTES = "`\"'「」『』“”"
VALUE = LatePattern(
    r"\"([^\"\n]{1,80})\"|(?<![\w'])'([^'\n]{1,80})'(?!\w)|`([^`\n]{1,80})`"
    r"|[「『“]([^」』”\n]{1,80})[」』”]"
)
SENTENCE = LatePattern(r"(?<=[.!?;\n])\s+|(?<=[。！？\n])")
IS_SO_NOW = LatePattern(
    r"\)[`'\"」』]?\s+(?:currently\s+|still\s+|now\s+|wrongly\s+)?(?:gives?|returns?|prints?|shows?|yields?|says?|is|comes?\s+out)\b"
    r"|(?:が|に|と)(?:なり|なって|返り|返って|出|表示され)(?:ます|いる|る|ています)",
    re.IGNORECASE | re.ASCII,
)
OUGHT = LatePattern(
    r"\b(?:should|must|shall|has to|have to|needs? to|ought|expected|instead|not|so that|after"
    r"|becomes?)\b"
    r"|n't\b|べき|はず|ように|ではなく|期待",
    re.IGNORECASE | re.ASCII,
)
COMPARES = LatePattern(r"==|[eE]qual|\btoBe\b|\bis\(|\bassert\.is\b")


def contradicted(instruction: str, after: Mapping[str, str | None]) -> Iterator[Dilution]:
    """Changed tests of a call that the instruction gives the value of, and expect another."""
    repairs = asks_to_repair(instruction)
    for sentence in SENTENCE.split(instruction):
        if repairs and IS_SO_NOW.search(sentence) and not OUGHT.search(sentence):
            # What is to be repaired is told as it is.
            continue
        for call in CALL.finditer(sentence):
            outside = (
                f"{sentence[: call.start()].rstrip(QUOTES)} {sentence[call.end() :].lstrip(QUOTES)}"
            )
            values = [found[found.lastindex or 0] for found in VALUE.finditer(outside)]
            values = [value for value in values if CALL.search(value) is None]
            yield from _otherwise(call["name"], call["with"], values, after) if values else ()


def _otherwise(
    name: str, arguments: str, values: list[str], after: Mapping[str, str | None]
) -> Iterator[Dilution]:
    parts = r"\s*,\s*".join(re.escape(part.strip()) for part in arguments.split(","))
    same = re.compile(rf"\b{re.escape(name)}\(\s*{parts}\s*\)")
    for path, text in sorted(after.items()):
        lines = (text or "").splitlines() if is_test(path) else ()
        tried = [line for line in lines if same.search(line) and COMPARES.search(line)]
        if tried and not any(stands(value, line) for line in tried for value in values):
            detail = f"{name}({arguments}) is not {values[-1]}"
            yield Dilution(kind="test_contradicts", path=path, detail=detail)
