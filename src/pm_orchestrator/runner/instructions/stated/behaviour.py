"""Is something to be otherwise that runs? Then words in a document are not what was asked for.

A repair, and whatever is asked of a thing that has a name in code, is done in code, in settings
or in data. Where a document is spoken of, nobody can tell, and it may be all that was wanted.
"""

from collections.abc import Iterator
from itertools import takewhile

from pm_orchestrator.gates.compare.task_names import asks_to_repair
from pm_orchestrator.gates.detect.documents import is_document
from pm_orchestrator.runner.instructions.file_names import Mention, all_mentions, unnamed
from pm_orchestrator.runner.instructions.kinds.task_types import ANSWERS, recognised
from pm_orchestrator.runner.instructions.stated.kinds_of_result import DOCUMENT, asks_for_code
from pm_orchestrator.runner.instructions.words.pasted import spoken
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.verbs import VERBS
from pm_orchestrator.runner.instructions.words.wording import clauses, plain, sentences

# What is said about texts, whoever reads them.
ABOUT_WORDS = pattern(
    r"""
    \b(?:typos?|spell\w*|grammar|wording|phras\w*|licen[sc]e|copyright|links?|urls?|faq|examples?|usage
    |instructions?|sections?|chapters?|headings?|paragraphs?|entr(?:y|ies)|todos?|release\s+notes?|news|docstrings?
    |write\s+(?:it\s+|that\s+|this\s+)?down|findings|credits|authors?
    |(?:hand)?books?|mention|announcements?|policy|policies|minutes|post-?mortem|known[\s-]issues?|article|blog|terms)\b
    |誤字|脱字|表記|文言|リンク|使い方|例を|用例|章|節|項目|見出し|ライセンス|著作権|リリースノート|書き出し|書き留め|規約|お知らせ|告知|記事|ブログ|名簿
    """
)
# A thing that has a name in code, or goes wrong as only a program does.
IN_CODE = pattern(
    r"""
    (?-i:\b[A-Za-z_]\w*\(\)|\b[a-z]+[a-z0-9]*_[a-z]\w*\b|\b[A-Z]\w*\.[a-z_]\w{2,}(?![\w.])|\b[a-z]+[A-Z]\w+\b
    |\b[A-Z][a-zA-Z]*(?:Error|Exception)\b|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b)
    |\b(?:bugs?|crash(?:es|ed|ing)?|exceptions?|tracebacks?|segfaults?|raises?|throws?|regressions?)\b
    |\b(?:tests?|test\s+suite|builds?|ci|pipeline)\b[^.;]{0,40}\b(?:fail\w*|red|broken|breaks?)\b
    |\b(?:failing|broken|red)\s+(?:\w+\s+)?(?:tests?|builds?|ci|pipeline)\b
    |バグ|不具合|例外|クラッシュ|(?:テスト|ビルド)[^。]{0,12}(?:落ち|失敗|通ら|通り|赤|壊れ|こけ|コケ)
    """
)


def asks_for_no_text(instruction: str) -> bool:
    """Whether the gates have a say even if only documents were changed."""
    text = plain(spoken(instruction))
    if _about_texts(text):
        return False
    return asks_to_repair(text) or asks_for_behaviour(instruction)


def asks_for_behaviour(instruction: str) -> bool:
    """Whether something in code is surely to be otherwise, and nothing is said of a document."""
    if asks_for_code(instruction):
        return True
    text = plain(spoken(instruction))
    kinds = recognised(text)
    if kinds and all(kind in ANSWERS for kind in kinds):
        return False
    if _about_texts(text):
        # "Make … and document that": what is said ahead of the document is to be done as well.
        return any(map(_builds, _ahead_of_texts(text)))
    return any(map(_in_code, sentences(text)))


def _ahead_of_texts(text: str) -> Iterator[str]:
    said = (clause for sentence in sentences(text) for clause in clauses(sentence))
    return takewhile(lambda clause: not _about_texts(clause), said)


def _builds(clause: str) -> bool:
    verb = clause.partition(" ")[0].lower()
    return VERBS.get(verb) in {"make", "give", "set", "repair"} and _in_code(clause)


def _in_code(text: str) -> bool:
    return IN_CODE.search(unnamed(text, _files_in(text))) is not None


def _about_texts(text: str) -> bool:
    words = unnamed(text, _files_in(text))
    if DOCUMENT.search(words) or ABOUT_WORDS.search(words):
        return True
    return any(is_document(m.name) for s in sentences(text) for m in all_mentions(s))


def _files_in(sentence: str) -> list[Mention]:
    """What is surely a file's name; `Stock.ship` may be a method."""
    return [mention for mention in all_mentions(sentence) if mention.kind != "loose"]
