"""Values that a Japanese sentence asks to be put in the place of others."""

import re
from collections.abc import Iterator

from pm_orchestrator.domain.judging.value_change import Reach, ValueChange
from pm_orchestrator.runner.instructions.effects.japanese_effects import CLAUSE, NOT_ASKED
from pm_orchestrator.runner.instructions.effects.japanese_history import ASKS, SURU
from pm_orchestrator.runner.instructions.stated.literals import FILE, VALUE, Marked, is_number
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern

ALL_OF = r"(?:(?:すべて|全て|全部|全箇所|一括(?:で|して)?|残らず)(?:の箇所)?、?\s*)"
CHANGED = joined(
    r"""
    (?:(?:変更|置換|更新|修正|設定|統一|差し?替え|切り?替え)<SURU>
    |(?:置き?換え|置きかえ|書き?換え|書きかえ|変え|替え|直し|上げ|下げ|引き?上げ|引き?下げ|増やし|減らし|し)<ASKS>)
    """,
    SURU=SURU, ASKS=ASKS,
)  # fmt: skip
OLD = joined(r"(?P<old><VALUE>)", VALUE=VALUE)
NEW = joined(
    r"\s*(?P<new><VALUE>)\s*(?:に|へ)\s*(?P<then><ALL_OF>)?<CHANGED>",
    VALUE=VALUE, ALL_OF=ALL_OF, CHANGED=CHANGED,
)  # fmt: skip
FROM = pattern(r"<OLD>\s*(?:から|→|->)<NEW>", OLD=OLD, NEW=NEW)
# 「config.yaml の timeout: 30 → 45」: an arrow behind the name of a file asks by itself.
LED = pattern(
    r"^\s*(?P<files><FILES>)\s*(?:の|で|:|、)",
    FILES=joined(r"<FILE>(?:\s*(?:と|、|および)\s*<FILE>)*", FILE=FILE),
)
PAIR = pattern(r"<OLD>\s*(?:→|->|=>)\s*(?P<new><VALUE>)", OLD=OLD, VALUE=VALUE)
SEEN = pattern(r"なって|なる|なった|出る|返る|返って|表示|バグ|誤|期待|はず|だった|でした|ました")
TURNED = pattern(
    r"<OLD>\s*(?:という(?:語|単語|文字列|表記|言葉))?\s*(?:を|は)\s*(?P<all><ALL_OF>)?<NEW>",
    OLD=OLD, ALL_OF=ALL_OF, NEW=NEW,
)  # fmt: skip
SET = pattern(r"[^\x01、。]{1,60}?(?:を|は)<NEW>", NEW=NEW)
REPLACED = pattern(r"置換|置き?換え|置きかえ|差し?替え")
NO_FILE = pattern(r"コミット|ブランチ|タグ|権限|メッセージ|モード|プルリク|イシュー")
DONE_BEFORE = re.compile(r"[てしりえ]、")
# 「ファイルへのリンク」 is not in it.
PLACE = pattern(
    r"(?P<files><FILES>)\s*(?:全体|内|の?中)?\s*(?:の|で|に(?!ついて)|、)",
    FILES=joined(r"<FILE>(?:\s*(?:と|、|および)\s*<FILE>)*", FILE=FILE),
)
WHERE = pattern(
    r"\s*(?:<FILES>|(?P<docs>文書|ドキュメント|資料)|プロジェクト|リポジトリ|全ファイル)?(?:全体|内|の中|中)?"
    r"\s*(?:に(?:ある|含まれる|出てくる)|の|で|から|は)?、?\s*(?P<all><ALL_OF>の?)?",
    FILES=joined(r"<FILE>(?:\s*(?:と|、|および)\s*<FILE>)*", FILE=FILE),
    ALL_OF=ALL_OF,
)


def japanese_values(text: str, tokens: Marked) -> Iterator[ValueChange]:
    """The values of one sentence, whose files and values are tokens."""
    if (led := LED.match(text)) and not SEEN.search(text) and not NOT_ASKED.search(text):
        for pair in PAIR.finditer(text):
            yield ValueChange(
                new=tokens.value(pair["new"]),
                old=tokens.value(pair["old"]),
                files=tokens.files_in(led["files"]),
            )
    position = 0
    for rule in (FROM, TURNED, SET):
        for found in rule.finditer(text, position):
            clause = found.group() + CLAUSE.split(text[found.end() :], maxsplit=1)[0][:12]
            # What was said to be done before it, is done elsewhere.
            said = DONE_BEFORE.split(text[position : found.start("new")])[-1]
            position = found.end()
            if not NOT_ASKED.search(clause) and not NO_FILE.search(said):
                yield _change(found, said, tokens)


def _change(found: "re.Match[str]", said: str, tokens: Marked) -> ValueChange:
    groups = found.groupdict()
    old = tokens.value(found["old"]) if "old" in groups else ""
    new = tokens.value(found["new"])
    unsure = "all" in groups and not REPLACED.search(found.group())
    if unsure and not is_number(old) and is_number(new):
        # 「timeout」を60に: what is in quotes is the setting.
        old = ""
    place = PLACE.search(said)
    return ValueChange(
        new=new,
        old=old,
        old_may_be_a_key=unsure and bool(old),
        files=tokens.files_in(place["files"]) if place else (),
        reach=_reach(groups, said) if old else "somewhere",
    )


def _reach(groups: dict[str, str | None], said: str) -> Reach:
    """How far "all" goes; only where nothing else in the words narrows it down."""
    where = WHERE.fullmatch(said.partition("\x01")[0])
    if where is None or not (groups.get("all") or groups["then"] or where["all"]):
        return "somewhere"
    return "documents" if where["docs"] else "everywhere"
