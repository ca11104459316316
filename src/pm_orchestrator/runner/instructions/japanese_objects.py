"""Files that a Japanese sentence makes the object of a change.

What is wanted stands at the end: "更新して" asks for it, "更新しないで" forbids it, and
"更新するスクリプト" is about something else that will do it.
"""

from pm_orchestrator.runner.instructions.file_names import Mention
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern
from pm_orchestrator.runner.instructions.words.wording import REACH, just_before

ASKED = r"ください|下さい|ほしい|欲しい|くれ|おい|おく|もら|いただ|頂|[、。!?\s]|$"
END = r"(?=こと|よう|[。!?\s]|$)"
SURU = joined(
    r"して<ASKED>|する<END>|せよ|しろ|を?お願い|し、|<END>",
    ASKED=ASKED,
    END=END,
)
OBJECT = pattern(
    r"""
    ['"`」』]?\s*(?:という)?(?:ファイル)?
    (?:(?:の(?:内容|中身|記述))?を\s*(?:(?:更新|編集|変更|改訂)<SURU>
    |書き換え(?:て<ASKED>|る<END>|<END>)|書き直(?:して<ASKED>|す<END>))
    |に(?:[^、。をに]{1,40}を)?\s*(?:追記|加筆)<SURU>|の(?:更新|編集|変更|改訂)をお願い)
    """,
    SURU=SURU,
    ASKED=ASKED,
    END=END,
)
UNSURE_AHEAD = pattern(r"もし|場合|なら|たら|れば|とき|ときは|時は|かどうか")
# Anywhere: it depends, or something else is to do it.
UNSURE = pattern(
    r"""
    必要(?:なら|であれば|に応じ|があれば|な場合|な場所|な箇所)
    |(?:する|した|行う)[^、。]{0,6}?(?:スクリプト|コマンド|関数|ツール|機能|プログラム|フック
    |ワークフロー|ジョブ|処理|仕組み|方法|手順)
    """
)
LISTED = pattern(r"['\"`」』]?\s*(?:と|、|および|及び|,|・|ならびに)\s*['\"`「『]?")


def japanese_objects(sentence: str, named: list[Mention]) -> list[bool]:
    """For each mention, looked at from the end: a list shares what is said of its last."""
    found: list[bool] = []
    following = len(sentence)
    for mention in reversed(named):
        if found and LISTED.fullmatch(sentence[mention.end : following]):
            found.append(found[-1])
        else:
            found.append(_is_object(sentence, mention))
        following = mention.start
    return found[::-1]


def _is_object(sentence: str, mention: Mention) -> bool:
    before = just_before(sentence, mention.start)
    after = sentence[mention.end : mention.end + REACH]
    unsure = UNSURE_AHEAD.search(before) or UNSURE.search(before) or UNSURE.search(after)
    return not unsure and OBJECT.match(after) is not None
