"""What an instruction says is to stay: no old test of that may fail, whatever else is new.

Said in so many words ("the rest stays as it is"), or by the kind of work: who rewrites,
speeds up or tidies wants the same results, and who asks for a new argument, option or
function by its name leaves every call without it alone.
"""

import re
from collections.abc import Iterator

from pm_orchestrator.domain.late_pattern import LatePattern

SENTENCE = LatePattern(
    r"(?<=[.!?;])\s+|(?<=[。！？])|\n+|,\s+(?=(?:but|without|while|and (?:keep|leave))\b)",
    re.IGNORECASE,
)
STAYS = LatePattern(
    r"\b(?:stays?|remains?|kept|keeps?|leave|left)\b[^.;\n]{0,60}?"
    r"\b(?:as\b|same|unchanged|untouched|alone|intact|what\b|identical|compatible"
    r"|raising|accepting|returning|the way)"
    r"|\b(?:is|are|be|goes on|go on|works?|behaves?)\s+(?:all\s+|just\s+|exactly\s+)*"
    r"(?:as|like) (?:it|they|before|now|today|usual|ever)\b"
    r"|\b(?:as|like) (?:before|it (?:is|was|does)(?: now| today)?|until now)\s*(?:[.,;!)]|$)"
    r"|\b(?:without|not|n't|never|no)\s+(?:be\s+)?(?:\w+ly\s+)?"
    r"(?:chang|touch|break|alter|affect|modif)\w*"
    r"|\bno (?:functional|behaviou?ral|visible|other|breaking|api) changes?\b"
    r"|\bcompatib(?:le|ility)\b|\bunchanged\b|\bgo(?:es)? on \w+ing\b"
    r"|\b(?:same|identical)\s+(?:results?|outputs?|behaviou?r|values?|numbers|api|answers?)\b"
    r"|\bresults?\b[^.;\n]{0,20}\b(?:the same|identical)\b"
    r"|そのまま|[今元]のまま|(?:今|これ)まで(?:と同じ|通り|どおり)"
    r"|(?:従来|現状|以前)(?:と同じ|通り|どおり|のまま|の(?:動作|挙動))"
    r"|変え(?:ない|ず)|変わら(?:ない|ず)|変更しな|(?:結果|出力|動作|挙動|仕様|値|中身)[はも]?同じ|互換"
    r"|影響(?:[をはのが])?(?:与え|し|出|な)|壊さな|壊れな|維持",
    re.IGNORECASE | re.ASCII,
)
# All there is, what else is asked for included.
EVERYTHING = LatePattern(
    r"\b(?:everything|anything|nothing|behaviou?r|functional\w*|defaults?|otherwise|compatib\w*"
    r"|without (?:it|them|the|an?)|results?)\b"
    r"|すべて|全て|動作|挙動|デフォルト|既定|互換|従来|現状|今まで|これまで|省略|指定し(?:ない|な)"
    r"|ない場合|なければ|結果|中身",
    re.IGNORECASE | re.ASCII,
)
BUT_FOR_THIS = LatePattern(
    r"\b(?:else|rest|others?|apart from|except|besides)\b|以外|その他|ほか|他の",
    re.IGNORECASE | re.ASCII,
)
# What a file is called and where it lies is no behaviour.
OF_FILES = LatePattern(
    r"\b(?:file|folder|directory)\s?(?:names?|layout|structure)\b|\bpaths?\b"
    r"|(?:ファイル|フォルダ|ディレクトリ)(?:の)?(?:名|構成)|パス|置き場所",
    re.IGNORECASE | re.ASCII,
)
WORKS_OVER = LatePattern(
    r"\b(?:refactor|rewrit|restructur|simplif|optimi[sz]|tid(?:y|ied)|moderni[sz]|speed\w* up"
    r"|faster|clean(?:\s?|-)up|performance|deduplicat|readab|port(?:ed|ing)?\b)\w*"
    r"|リファクタ|書き直|書き換|高速|最適化|簡潔|整理|移植|速く|共通化",
    re.IGNORECASE | re.ASCII,
)
# Another behaviour is asked for as well.
AND_MORE = LatePattern(
    r"\b(?:should|must|shall|so that|such that|instead|needs? to|has to|have to|no longer|any ?more"
    r"|becomes?|returns?|prints?|raises?|throws?|reports?|supports?|fix|repair|correct|bug)\b"
    r"|ように|べき|代わり|ではなく|修正|不具合|返す|出力する|対応",
    re.IGNORECASE | re.ASCII,
)
# A name that is used: `name(…)`, `Name(arg=…)`, `--option`.
CALLED = LatePattern(r"(?<![\w.])[A-Za-z_][\w.]*\([^()\n]{0,80}\)|--[a-z][\w-]+", re.ASCII)
NAME = LatePattern(r"[A-Za-z_]\w*", re.ASCII)
DEMANDED = LatePattern(
    r"\b(?:required|mandatory|obligatory|every call"
    r"|(?:must|has to|have to) (?:be )?(?:given|passed))\b|必須|必ず",
    re.IGNORECASE | re.ASCII,
)


def kept_parts(instruction: str) -> Iterator[str]:
    """The sentences that say what is to stay as it is, of what can be tested."""
    return (
        part
        for part in SENTENCE.split(instruction)
        if STAYS.search(part) and (EVERYTHING.search(part) or not OF_FILES.search(part))
    )


def keeps_everything(sentence: str) -> bool:
    """Whether all is to stay, without exception."""
    return EVERYTHING.search(sentence) is not None and not keeps_the_rest(sentence)


def keeps_the_rest(sentence: str) -> bool:
    """Whether all is to stay but for what is asked for."""
    return BUT_FOR_THIS.search(sentence) is not None


def only_works_over(instruction: str) -> bool:
    """Whether what is there is to be written otherwise, and to do the same."""
    return WORKS_OVER.search(instruction) is not None and AND_MORE.search(instruction) is None


def new_names(instruction: str, known: frozenset[str]) -> frozenset[str]:
    """What is asked for by a name that is called, and was not there.

    None of them where every call has to change.
    """
    if DEMANDED.search(instruction):
        return frozenset()
    names = (
        name.lower()
        for found in CALLED.finditer(instruction)
        for name in NAME.findall(found.group().replace("-", "_").strip("_"))
    )
    return frozenset(name for name in names if not set(name.split("_")) <= known)
