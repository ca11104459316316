"""Scripts that are to become executable together: those of a directory, or of the project.

Their effect is called by the directory, with a slash at its end; which files it means is found
out where they are.
"""

import re
from collections.abc import Callable, Iterator

from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.effects.japanese_history import ASKS, NAME
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern

WHOLE = "./"
"""The project itself."""
FOLDER = r"(?:\x00\d+\x00/?|[`'\"]?[\w.][\w./-]*[`'\"]?)"
THOSE = joined(
    r"""
    (?:(?:all|every|each|both|of|the|our|my)\s+)*(?:(?:shell|bash|python)\s+)?(?:scripts?|files?|programs?|hooks|everything)
    \s+(?:that\s+(?:is|are)\s+)?(?:in|under|inside|below|within)\s+(?:the\s+)?(?P<folder><FOLDER>)(?:\s+(?:directory|folder))?
    |(?P<whole>(?:(?:all|every|each)\s+(?:of\s+)?(?:the\s+|our\s+|my\s+)?(?:(?:shell|bash)\s+)?scripts?|(?:the|our|my)\s+(?:(?:shell|bash)\s+)?scripts))
    """,
    FOLDER=FOLDER,
)
STATED = THOSE.replace("folder>", "stated>").replace("whole>", "rest>")
ENGLISH = pattern(
    r"""
    (?:make|mark|set)\s+(?:<THOSE>)\s+(?:(?:as|to\s+be)\s+)?(?:directly\s+)?(?:executable|runnable)\b
    |(?:(?:make|be)\s+sure\s+(?:that\s+)?|ensure\s+(?:that\s+)?)?(?:<STATED>)\s+(?:is|are|should\s+be|must\s+be|(?:has|have|needs?)\s+to\s+be)\s+(?:directly\s+)?(?:executable|runnable)\b
    |chmod\s+(?:-R\s+)?(?:\S*\+x|0?[75][75][15])\s+(?P<glob>[\w.-][\w./-]*/)(?:\*[\w.*]*)?(?=\s|$)
    """,
    THOSE=THOSE,
    STATED=STATED,
)
BIT = r"(?:the\s+)?(?:execut\w+|\+x)\s+(?:permissions?|bits?|flags?|rights?)"
ENGLISH_BIT = pattern(
    r"(?:add|set|give)\s+<BIT>\s+(?:to|on|for)\s+(?:<THOSE>)|give\s+(?:<STATED>)\s+<BIT>",
    BIT=BIT, THOSE=THOSE, STATED=STATED,
)  # fmt: skip
EVERY = r"(?:(?:全部|すべて|全て|みな|それぞれ|一括で)\s*)"
AS_IT_IS = r"(?:(?:そのまま|直接|単体で)\s*)?"
BECOME = joined(
    r"""
    (?:(?:を|は)\s*(?P<each><EVERY>)?<AS_IT_IS>実行(?:可能|できる(?:よう)?)に(?:し|変更し)
    |に(?:は)?\s*(?P<all><EVERY>)?実行(?:権限|権|属性|ビット)を\s*(?:付け|つけ|付与し|与え|追加し|設定し))<ASKS>
    """,
    EVERY=EVERY, AS_IT_IS=AS_IT_IS, ASKS=ASKS,
)  # fmt: skip
JAPANESE = pattern(
    r"""
    (?:<NAME>\s*(?:フォルダー?|ディレクトリ)?\s*(?:以下|配下|直下|内|の(?:下|中))?(?:にある|の)\s*)?(?P<every>(?:すべて|全て|全部|各)の?|全)?
    (?:シェル|\.\w+\s*|`\.\w+`\s*)?(?P<noun>スクリプト|ファイル|プログラム)(?P<after>\s*(?:の)?(?:すべて|全て|全部|それぞれ))?<BECOME>
    """,
    NAME=NAME, BECOME=BECOME,
)  # fmt: skip
WORD_BEFORE = LatePattern(r"[\w\x00」』`]$")
PROJECT = frozenset({"repo", "repository", "project", "this", "here", "."})


def english_scripts(clause: str, path: Callable[[str], str]) -> Effect | None:
    """What a clause asks of several scripts at once."""
    found = ENGLISH.match(clause) or ENGLISH_BIT.match(clause)
    if found is None:
        return None
    given = found.groupdict()
    name = path(given["folder"] or given["stated"] or given.get("glob") or "")
    return _executable("" if name.lower() in PROJECT else name)


def japanese_scripts(
    found: Iterator["re.Match[str]"], path: Callable[[str | None], str]
) -> Iterator[Effect]:
    """The same of a Japanese sentence; `found` is where `JAPANESE` stands in it."""
    for one in found:
        every = one["every"] or one["after"] or one["each"] or one["all"]
        ours = one["noun"] == "スクリプト" and WORD_BEFORE.search(one.string[: one.start()]) is None
        # "The script" alone is the one that was spoken of.
        if one["name"] or (every and ours):
            yield _executable(path(one["name"]))


def _executable(folder: str) -> Effect:
    return Effect(kind="executable", name=f"{folder.rstrip('/')}/" if folder else WHOLE)
