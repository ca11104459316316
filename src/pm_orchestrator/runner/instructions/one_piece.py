"""Is an instruction plainly one piece of work, so that splitting it would only cost?

Only what is sure counts: one file with its tests or pages, an answer, or files that only go
away, and nothing besides that could be anywhere. The rest is for the manager to look at; a
needless look is cheap, and a large task in one hand is not.
"""

import re

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.detection import is_document
from pm_orchestrator.runner.instructions.file_names import mentions
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.wording import clauses, is_japanese, plain, sentences

MOST_SENTENCES = 3
MOST_CHARACTERS = 600
ITEMS = LatePattern(r"^\s*(?:[-*•]\s|[・①-⑳]|\d+(?:[.)]\s|[．）、]))", re.MULTILINE)
"""The instruction lists its parts itself."""
# A clause that asks for work, and not for what goes with a file or with what was just named.
WORK = pattern(
    r"""
    (?:create|add|build|implement|write|make|develop|introduce|support|set\s+up|integrate|design
    |improve|refactor|optimi[sz]e|migrate|rewrite|provide|generate|enable)\s+(?!(?:it|them|this|that)\b)
    (?!(?:\S+\s+){0,3}?(?:tests?|docs?|documentation|docstrings?|comments?|examples?|annotations?
    |type\s+hints?)\b)
    """
)
JAPANESE_WORK = pattern(r"追加|作成|作っ|作り|作る|実装|構築|開発|導入|対応|改善|リファクタ|最適化")
JAPANESE_BESIDE = pattern(r"テスト|ドキュメント|説明|コメント|例|docstring|型|それ|これ|その|この")
JAPANESE_CLAUSE_END = LatePattern(r"[、,。\n]")


def is_one_piece(requirement: Requirement) -> bool:
    """Whether nobody needs to be asked how to split it."""
    if requirement.wants_answer or not requirement.needs_executor:
        return True
    text = plain(requirement.instruction)
    said = sentences(text)
    long = len(text) > MOST_CHARACTERS or len(said) > MOST_SENTENCES
    if long or len(ITEMS.findall(requirement.instruction)) > 1 or any(map(_is_open, said)):
        return False
    made = requirement.expected_files
    if not made:
        return bool(requirement.files_to_go)
    # Imported late, as most of the module is: an answer is always one piece.
    from pm_orchestrator.gates.compare.recognised_tests import is_test_file

    product = [p for p in made if not is_test_file(p) and not is_document(p)]
    return len(product) <= 1


def _is_open(sentence: str) -> bool:
    """Whether it asks for work without saying where."""
    if is_japanese(sentence):
        parts = JAPANESE_CLAUSE_END.split(sentence)
        asked = [p for p in parts if JAPANESE_WORK.search(p) and not JAPANESE_BESIDE.search(p)]
    else:
        # What follows a colon belongs to what stands before it.
        asked = [p for p in clauses(sentence.replace(": ", " ")) if WORK.match(p)]
    return any(next(mentions(part), None) is None for part in asked)
