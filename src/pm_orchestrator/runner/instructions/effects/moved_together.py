"""Files of a directory that are all to lie in another one.

Both are called with a slash at the end; which files it means is found out where they are.
"""

import re
from collections.abc import Iterator

from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.runner.instructions.effects.japanese_history import ASKS
from pm_orchestrator.runner.instructions.words.patterns import pattern

FOLDER = r"[`'\"]?(?:[\w.-]+/)+(?:[\w.-]+(?![\w.-]))?[`'\"]?"
ENGLISH = pattern(
    r"""
    (?![^.;\n]*\b(?:except|but|other\s+than|apart\s+from|unless|that|which|whose|with|without|older|newer)\b)
    (?:move|mv)\s+(?:all|every|each)\s+(?:(?:of|the|our|my)\s+)*(?:[a-z]+\s+)?(?P<noun>pages?|documents?|docs|files?|scripts?)\s+
    (?:from|in|out\s+of|under|below|inside)\s+(?P<source><FOLDER>)\s+(?:to|into|under|in)\s+(?P<to><FOLDER>)
    """,
    FOLDER=FOLDER,
)
JAPANESE = pattern(
    r"""
    (?P<source><FOLDER>)\s*(?:にある|配下の|以下の|直下の|内の|の中の|の)\s*(?:(?P<first>すべて|全て|全部)の?)?(?P<noun>ページ|文書|ドキュメント|ファイル|スクリプト)
    (?:を)?\s*(?P<then>すべて|全て|全部)?(?:を)?\s*(?P<to><FOLDER>)\s*(?:に|へ)\s*(?:移動(?:し|する)?|移し|移す)<ASKS>
    """,
    FOLDER=FOLDER, ASKS=ASKS,
)  # fmt: skip
NARROWED = pattern(r"以外|除|のうち|だけ")
QUOTES = "`'\""
DOCUMENTS = frozenset({"page", "document", "doc", "ページ", "文書", "ドキュメント"})
SCRIPTS = frozenset({"script", "スクリプト"})


def english_moved(clause: str) -> Effect | None:
    """What a clause asks of all files of a directory."""
    found = ENGLISH.match(clause)
    return None if found is None else _moved(found)


def japanese_moved(found: Iterator["re.Match[str]"]) -> Iterator[Effect]:
    """The same of a Japanese sentence; `found` is where `JAPANESE` stands in it."""
    for one in found:
        if (one["first"] or one["then"]) and not NARROWED.search(one.string):
            yield _moved(one)


def _moved(found: "re.Match[str]") -> Effect:
    source, to = (f"{found[name].strip(QUOTES).rstrip('/')}/" for name in ("source", "to"))
    noun = found["noun"].lower().rstrip("s")
    only = ("documents",) if noun in DOCUMENTS else ("scripts",) if noun in SCRIPTS else ()
    return Effect(kind="moved", source=source, name=to, only=only)
