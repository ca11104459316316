"""Files that a Japanese sentence makes the object of a change.

What is wanted stands at the end: "更新して" asks for it, "更新しないで" forbids it, and
"更新するスクリプト" is about something else that will do it.
"""

from pm_orchestrator.runner.instructions.file_names import Mention
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern
from pm_orchestrator.runner.instructions.words.wording import REACH, just_before

ASKED = joined(
    r"""
    ください|下さい|ほしい|欲しい|くれ|おい|おく|もら|いただ|頂|[、。!?:\s]|$|コミット(?:し|を)|プッシュし
    """
)
END = r"(?=こと|よう|[。!?\s]|$)"
SURU = joined(
    r"して<ASKED>|する<END>|せよ|しろ|を?お願い|し、|<END>",
    ASKED=ASKED,
    END=END,
)
# What stands in a text can be put right nowhere else.
PART = joined(
    r"""
    リンク|誤字|脱字|誤植|タイポ|誤記|綴り|スペル|表記|記述|記載|見出し|文言|文章|説明文?|目次|注釈|コメント|バッジ|手順|例|パス|参照
    """
)
OBJECT = pattern(
    r"""
    ['"`」』]?\s*(?:という)?(?:ファイル)?
    (?:(?:の(?:内容|中身|記述))?を\s*(?:(?:更新|編集|変更|改訂|(?:新規に?|新しく)?追加)<SURU>
    |書き換え(?:て<ASKED>|る<END>|<END>)|書き直(?:して<ASKED>|す<END>))
    |に(?:は|も)?(?:[「『][^」』\n]{1,120}[」』](?:という[^、。をに]{1,10})?(?:を|も|と)|[0-9一二三四五六七八九十数]+(?:行|件|項目|文|つ|点)(?:だけ)?|ひとこと|一言
    |[^、。をに]{1,40}(?:を|も|と))?\s*(?:(?:追記|加筆|追加|記載|記述|挿入|実装|反映|記入)<SURU>
    |(?:書い|加え|入れ|足し|付け)て<ASKED>|(?:書き加え|書き足し|付け加え)て<ASKED>)
    |から[^、。をに]{1,40}を\s*(?:削除|除去)<SURU>|から[^、。をに]{1,40}を\s*(?:消し|外し|取り除い)て<ASKED>
    |(?:に|として|へ)\s*(?:保存|出力|生成|作成)<SURU>|(?:に|へ)\s*(?:書き出し|まとめ)て<ASKED>
    |に\s*(?:分割|コピー|変換|移植|抽出|統合)<SURU>|に\s*(?:切り出し|移し|置い)て<ASKED>
    |の[^、。をに]{1,30}を[^、。を]{1,30}に\s*(?:(?:変更|設定|修正)<SURU>|(?:変え|上げ|下げ|増やし|減らし|置き換え)て<ASKED>)
    |の[^、。をに]{1,30}に[^、。をに]{1,30}を\s*(?:追加<SURU>|(?:付け|つけ|加え|入れ)て<ASKED>)
    |の[^、。をにも]{0,16}(?:<PART>)(?:を|も)(?:[^、。を]{1,30}に)?\s*(?:(?:修正|変更|更新|訂正|追従)<SURU>|(?:直し|書き換え|書き直し|変え|合わせ|改め)て<ASKED>)
    |の[^、。をに]{1,30}を\s*(?:削除|リネーム)<SURU>|をリファクタ(?:リング)?<SURU>|の(?:更新|編集|変更|改訂)をお願い)
    """,
    SURU=SURU,
    ASKED=ASKED,
    END=END,
    PART=PART,
)
# "calc.pyに平均を計算する関数を追加して": the clause before the noun has an object of its own, and
# the file is where the noun is put. Into a file of data it may be the clause's verb that puts.
RECEIVES = pattern(
    r"""
    ['"`」』]?\s*(?:ファイル)?に(?:は|も)?(?P<clause>[^、。\n]{1,40}?(?:[くぐすつぬぶむるう]|[したんれせけめべえい][だた]))
    (?P<noun>[^、。をに\n]{1,30})を\s*(?:(?:追加|実装|追記|定義|作成|用意|挿入|記載)<SURU>|(?:加え|書い|作っ|入れ|足し|付け|設け)て<ASKED>)
    """,
    SURU=SURU,
    ASKED=ASKED,
)
PUTS = pattern(
    r"(?:書き出|書き込|書|出力|保存|コピー|移|送|まとめ|記録|ダウンロード|エクスポート|転送|変換|追加|追記|登録|入れ|渡|反映|加え|足|格納|設定)[^、。]{0,4}$"
)
CODE = pattern(
    r"\.(?:py|pyi|[cm]?[jt]sx?|rb|go|rs|java|kt|cc?|cpp|cs|h|hpp|php|sh|lua|swift|scala|dart|vue|svelte|html|css|scss)$"
)
CODE_PART = pattern(
    r"関数|メソッド|クラス|テスト|型|定数|変数|引数|エンドポイント|ルート|コンポーネント|フック"
    r"|処理|機能|ロジック|オプション|フラグ|分岐|チェック|検証|ログ"
)
TAKEN_ELSEWHERE = pattern(r"[A-Za-z0-9_」』`]\s*から\s*$")
UNSURE_AHEAD = pattern(r"もし|場合|なら|たら|れば|とき|ときは|時は|かどうか")
# Anywhere: it depends, or something else is to do it.
UNSURE = pattern(
    r"""
    必要(?:なら|であれば|に応じ|があれば|な場合|な場所|な箇所)
    |(?:する|した|行う)[^、。]{0,6}?(?:スクリプト|コマンド|関数|ツール|機能|プログラム|フック
    |ワークフロー|ジョブ|処理|仕組み|方法|手順)
    """
)
CHOICE = pattern(r"['\"`」』]?\s*(?:か|または|もしくは|あるいは)\s*['\"`「『]?")
LISTED = pattern(r"['\"`」』]?\s*(?:と|、|および|及び|,|・|ならびに)\s*['\"`「『]?")


def japanese_objects(sentence: str, named: list[Mention]) -> list[bool]:
    """For each mention, looked at from the end: a list shares what is said of its last."""
    found: list[bool] = []
    following = len(sentence)
    for mention in reversed(named):
        between = sentence[mention.end : following]
        if found and CHOICE.fullmatch(between):
            found[-1] = False
            found.append(False)
        elif found and LISTED.fullmatch(between):
            found.append(found[-1])
        else:
            found.append(is_japanese_object(sentence, mention))
        following = mention.start
    return found[::-1]


def is_japanese_object(sentence: str, mention: Mention) -> bool:
    """Whether one mention is the object of a change."""
    before = just_before(sentence, mention.start)
    after = sentence[mention.end : mention.end + REACH]
    if UNSURE_AHEAD.search(before) or UNSURE.search(before):
        return False
    if receives(mention, after):
        return True
    if TAKEN_ELSEWHERE.search(before) and after.startswith("の"):
        # "AからBの節を削除": B is what the section is about.
        return False
    return UNSURE.search(after) is None and OBJECT.match(after) is not None


def receives(mention: Mention, after: str) -> bool:
    """Whether a thing that a clause describes is to be put into the file."""
    found = RECEIVES.match(after)
    if found is None:
        return False
    if CODE.search(mention.name) and CODE_PART.search(found["noun"]):
        return True
    return "を" in found["clause"] and PUTS.search(found["clause"]) is None
