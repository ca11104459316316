"""Objects that say of everything that it equals them: whatever a test expects, they are it."""

import re
from collections.abc import Iterator

from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.answers.functions import CodeFunction, source_of
from pm_orchestrator.gates.answers.held import constant_of
from pm_orchestrator.gates.compare.check_files import is_product_code
from pm_orchestrator.gates.weaker.dilution import Trees

EQUALITY = frozenset({"__eq__", "equals", "Equals", "isEqual", "isEqualTo", "is_equal"})
INEQUALITY = frozenset({"__ne__", "notEquals"})
YES = frozenset({"b:1", "n:1"})
NO = frozenset({"b:0", "n:0"})
BORROWED = LatePattern(
    r"__eq__\s*(?::[^=\n]+)?=\s*lambda\b[^:\n]*:\s*(?:True|1|not\s+False)\s*[,)\n]"
    r"|[\"']__eq__[\"']\s*[:,]\s*lambda\b[^:\n]*:\s*(?:True|1)\b"
    r"|\b(?:unittest\.)?mock\.ANY\b|\bimport\s+(?:[\w, ]+,\s*)?ANY\b"
)
ASKS_FOR_ONE = LatePattern(
    r"\b(?:any(?:thing)?|everything|wildcards?|match(?:er|ers|es|ing)?|equal\w*|__eq__|compar\w*)\b"
    r"|ワイルドカード|何とでも|すべてと|等価|等し|比較|一致",
    re.IGNORECASE | re.ASCII,
)


def equal_to_all(trees: Trees, instruction: str) -> Iterator[Dilution]:
    """Where a task put one into the product, unless it is about what equals what."""
    if ASKS_FOR_ONE.search(instruction):
        return
    for path, text in sorted(trees.after.items()):
        was = trees.before.get(path) or ""
        if text is None or text == was or not is_product_code(path):
            continue
        if not (any(word in text for word in (*EQUALITY, *INEQUALITY)) or "ANY" in text):
            continue
        old = {f.place for f in source_of(path, was).functions if _answers_at_once(f)}
        for function in source_of(path, text).functions:
            if function.place not in old and _answers_at_once(function):
                place = ".".join(filter(None, function.place))
                yield Dilution(kind="product_equals_all", path=path, detail=place)
        found = BORROWED.search(text)
        if found is not None and found[0] not in was:
            detail = " ".join(found[0].split())[:80]
            yield Dilution(kind="product_equals_all", path=path, detail=detail)


def _answers_at_once(function: CodeFunction) -> bool:
    """Whether it says the same of everything, without a look at it."""
    words = [t.text for t in function.body if t.kind in {"name", "number"}]
    said = constant_of(function)
    if words in (["return", "not", "True"], ["return", "not", "False"]):
        said = "b:0" if words[-1] == "True" else "b:1"
    return (function.name in EQUALITY and said in YES) or (
        function.name in INEQUALITY and said in NO
    )
