"""Directories, modes, links and moves that a Japanese sentence asks for.

The verb follows, and its form asks, forbids, or only describes: "コミットして" asks,
"コミットしないで" forbids, and "コミットするスクリプト" is about something else.
"""

import re
from collections.abc import Iterator

from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.effects.japanese_history import (
    ASKS,
    DELETED,
    LIST,
    NAME,
    OTHER,
    SURU,
    japanese_history,
    listed_names,
)
from pm_orchestrator.runner.instructions.effects.moved_together import (
    JAPANESE as TOGETHER,
    japanese_moved,
)
from pm_orchestrator.runner.instructions.effects.script_folders import (
    JAPANESE as SCRIPTS,
    japanese_scripts,
)
from pm_orchestrator.runner.instructions.file_names import Mention
from pm_orchestrator.runner.instructions.words.patterns import pattern

FOLDER = r"(?:サブ)?(?:ディレクトリ|フォルダー?)"
MADE_FOLDER = pattern(
    r"(?:<LIST><NAME>\s*(?:という|の)?(?:名前の)?(?:新しい)?<FOLDER>|<FOLDER>\s*<OTHER>)を\s*(?:新規に?|新しく)?(?:作成<SURU>|追加<SURU>|用意<SURU>|作(?:っ|り)<ASKS>|作る(?=$|。))",
    LIST=LIST, NAME=NAME, OTHER=OTHER, FOLDER=FOLDER, SURU=SURU, ASKS=ASKS,
)  # fmt: skip
GONE_FOLDER = pattern(
    r"(?:<LIST><NAME>\s*(?:という|の)?(?:名前の)?<FOLDER>|<FOLDER>\s*<OTHER>)(?:を|は(?:[^、。をに]{1,20}(?:ので|から|ため)、?)?)\s*(?:丸ごと|まるごと|中身ごと|全部|すべて)?<DELETED>",
    LIST=LIST, NAME=NAME, OTHER=OTHER, FOLDER=FOLDER, DELETED=DELETED,
)  # fmt: skip
EXECUTABLE = pattern(
    r"""
    <NAME>(?:という(?:ファイル|スクリプト))?(?:(?:ファイル|スクリプト)?に実行(?:権限|権|属性|ビット)を\s*(?:付け|つけ|付与し|与え|追加し|設定し)<ASKS>
    |(?:ファイル|スクリプト)?を実行(?:可能|できる(?:よう)?)に(?:し|変更し)<ASKS>)
    |(?P<bare>実行(?:権限|権|属性|ビット)を?(?:も)?\s*(?:付け|つけ|付与し|与え|追加し|設定し)<ASKS>|実行可能に(?:し)<ASKS>)
    """,
    NAME=NAME, ASKS=ASKS,
)  # fmt: skip
LISTED_BEFORE = LatePattern(r"(?:\x00\d+\x00\s*(?:と|、|および|及び|,|・)\s*)+$")
LINKED = pattern(
    r"(?:シンボリックリンク|シムリンク|symlink)[^。]{0,60}?(?:作成<SURU>|作(?:っ|り)<ASKS>|張(?:っ|り)<ASKS>|貼(?:っ|り)<ASKS>|追加<SURU>|(?<=リンク)にし<ASKS>)",
    SURU=SURU, ASKS=ASKS,
)  # fmt: skip
# "関数runを…": a word in apposition to a noun is no file.
MOVED = pattern(
    r"(?<![一-龯ァ-ヶーA-Za-z])(?<!関数\s)(?<!クラス\s)(?<!メソッド\s)(?<!変数\s)<NAME>\s*(?:という(?=ファイル|<FOLDER>))?(?:ファイル|<FOLDER>)?(?P<named>の(?:ファイル)?名前?)?(?:を|は、?)\s*<OTHER>(?:\s*という)?(?P<dir>(?<=/)|\s*<FOLDER>)?\s*(?:の(?:下|中))?(?:に|へ)\s*(?:リネーム|改名|移動|名前を?変更|(?(named)変更|(?!)))<SURU>",
    NAME=NAME, OTHER=OTHER, FOLDER=FOLDER, SURU=SURU,
)  # fmt: skip
# Before a noun it only describes: "使われていないimport".
NOT_ASKED = pattern(
    r"ない(?!の[でに]|から|ため|[一-龯ァ-ヶA-Za-z\x00])|せず|ずに|なく|不要|禁止|もし|場合|必要(?:なら|に応じ|であれば)|れば|たら"
)
CLAUSE = LatePattern(r"[、。\n]")


def japanese_effects(text: str, named: list[Mention], last: str) -> Iterator[Effect]:
    """The effects of one sentence whose names are tokens; `last` is the name before it."""
    asking = _Asking(text, named, last)
    yield from asking.in_the_tree()
    yield from japanese_history(asking.found, asking.path)


class _Asking:
    def __init__(self, text: str, named: list[Mention], last: str) -> None:
        self._text = text
        self._named = named
        self._last = last

    def in_the_tree(self) -> Iterator[Effect]:
        for found in self.found(MADE_FOLDER):
            for name in listed_names(found, self.path):
                yield Effect(kind="directory", name=name.rstrip("/"))
        for found in self.found(GONE_FOLDER):
            for name in listed_names(found, self.path):
                yield Effect(kind="gone", name=name.rstrip("/"))
        several = tuple(japanese_scripts(self.found(SCRIPTS), self.path))
        yield from several
        for found in () if several else self.found(EXECUTABLE):
            earlier = self._names_in(self._text[: found.start()])
            name = self.path(found["name"]) or (earlier or [self._last])[-1]
            listed = LISTED_BEFORE.search(self._text, 0, found.start())
            for each in (*self._names_in(listed.group() if listed else ""), name):
                if each:
                    yield Effect(kind="executable", name=each)
        for found in self.found(LINKED):
            begin = max(self._text.rfind(end, 0, found.start()) for end in "、。") + 1
            yield Effect(
                kind="linked", name="|".join(self._names_in(self._text[begin : found.end()]))
            )
        together = tuple(japanese_moved(self.found(TOGETHER)))
        yield from together
        for found in () if together else self.found(MOVED):
            source, to = self.path(found["name"]), self.path(found["other"])
            into = f"{to}/{source.rpartition('/')[2]}"
            yield Effect(kind="moved", source=source, name=to if found["dir"] is None else into)

    def found(self, wanted: LatePattern) -> Iterator["re.Match[str]"]:
        """Where it is asked for, and not forbidden or left open in its own clause."""
        for found in wanted.finditer(self._text):
            ends = found.group().endswith("、")
            rest = "" if ends else CLAUSE.split(self._text[found.end() :], maxsplit=1)[0]
            head = CLAUSE.split(self._text[: found.start()])[-1]
            if not NOT_ASKED.search(found.group() + rest[:12]) and not NOT_ASKED.search(head):
                yield found

    def path(self, token: str | None) -> str:
        named = self._names_in(token or "")
        return named[0] if named else (token or "").strip("./")

    def _names_in(self, text: str) -> list[str]:
        return [self._named[int(n)].name for n in re.findall(r"\x00(\d+)\x00", text)]
