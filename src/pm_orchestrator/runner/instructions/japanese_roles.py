"""The roles of files in a Japanese sentence, where what is wanted follows the name."""

from msgspec.structs import replace

from pm_orchestrator.runner.instructions.file_names import Mention
from pm_orchestrator.runner.instructions.japanese_objects import (
    is_japanese_object,
    japanese_objects,
    receives,
)
from pm_orchestrator.runner.instructions.words.file_roles import Reading, Role
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.wording import REACH

TAKEN = r"から[^、。]{1,40}を\s*(?:削除|除去|消し|外し|取り除)"
SOURCE = pattern(
    r"""
    \s*(?:ファイル)?(?:を(?:参考|参照|元|もと|基|ベース|見|読|除|真似)|に(?:基づ|従|なら)
    |と同じ|のよう|以外|は(?:変更|触|対象外|その|残)|を変更せず|を(?:コピー|変換|分割)
    |について|(?!<TAKEN>)から|には?触|と比較|ではなく|じゃなく|には(?:書|入|追加|触)[^。]{0,8}ない|が(?:ない|無い|見つから|存在)
    |と(?:いう)?(?:エラー|メッセージ))
    """,
    TAKEN=TAKEN,
)
# Before the next noun a verb only describes: "out.csvに書き出すコマンド".
DESCRIBES = pattern(
    r"""
    [^。、\n]{0,40}?(?:する|した|している|される|された|(?<!し)く|(?<!す)ぐ|[すつぬぶむる]|(?<!とい)(?<!も)う|った|いた|んだ|[たれせけめべえ]た)
    (?:ための|ような|とき(?:の)?|際の)?(?=[一-龯ァ-ヶーA-Za-z0-9「『])(?!(?:事|様|為|時|所|方)に)
    """
)
# It is to be so when the program runs.
LATER = pattern(
    r"[^。、\n]{0,30}?(?:出力|書き出|書き込|保存|読み込|生成|ダウンロード|記録)[^。、\n]{0,6}?(?:する|す|む|る)(?:ように|と|際|とき|たび)"
)
WHEN_RUN = pattern(
    r"(?:実行(?:する|した)(?:と|とき|際)|実行時|起動(?:する|した)と|起動時)[^。\n]{0,30}$"
)
REMOVE = pattern(
    r"\s*(?:という)?(?:ファイル)?(?:(?:と|や)(?:その|それらの)[^をに。]{1,10})?(?:を|は(?:[^をに。]{1,20}(?:ので|から|ため)、?)?)[^をへ。]{0,12}?(?:削除|消し|消去|除去|消す)"
)
CREATE = pattern(
    r"""
    \s*(?:という)?(?:名前の)?(?:新規|新しい)?(?:の(?:[0-9]+|[一二三四五六七八九十]+)(?:つ|個)?の?)?(?:ファイル)?を(?:新規に?|新しく)?
    (?:作成|作っ|作り|作る|生成|新規|書い(?=て)|書く(?=[。]|$))
    """
)
MOVED = pattern(r"\s*(?:に|へ)(?:ファイル名を)?(?:リネーム|改名|移動|名前を?変更|変更|置き換え)")
LISTED = pattern(r"\s*(?:と|、|および|及び|や|,|・)\s*")
OBJECT = pattern(r"\s*(?:ファイル)?(?:を|から)\s*")
TAKEN_FROM = pattern(r"\s*<TAKEN>", TAKEN=TAKEN)
# "出力先をout.csvに変更": the name is a value.
VALUE_BEFORE = pattern(r"(?:を|から)\s*$")
VALUE_AFTER = pattern(r"\s*(?:に|へ)(?:し(?:て|、|$)|変更|設定|変え|切り替え)")
# "ci.ymlで…を実行するように": it is to do something from now on.
FROM_NOW_ON = pattern(
    r"\s*(?:で|では|は)、?[^。\n]{1,60}?(?<!できる)(?:ように(?:して|する|設定)|すること)"
)
ANSWER_LANDS = pattern(r"\s*(?:ファイル)?(?:に|へ|として)(?:書|保存|出力|まとめ|記載|記録|作成)")


def japanese_readings(sentence: str, named: list[Mention], *, answer_only: bool) -> list[Reading]:
    """What is wanted with each mention."""
    named = [_with_marks(sentence, mention) for mention in named]
    roles = japanese_roles(sentence, named, answer_only=answer_only)
    if answer_only:
        return [Reading(role, must_change=role is Role.CHANGE) for role in roles]
    changed = japanese_objects(sentence, named) if Role.CHANGE in roles else [False] * len(named)
    return [
        Reading(
            role,
            must_change=role is Role.CHANGE and is_object,
            must_be=role is Role.CHANGE and FROM_NOW_ON.match(sentence, mention.end) is not None,
        )
        for mention, role, is_object in zip(named, roles, changed, strict=True)
    ]


def _with_marks(sentence: str, mention: Mention) -> Mention:
    """The mention up to the mark that closes it."""
    closed = sentence[mention.end : mention.end + 1] in {"」", "』", "`", '"', "'"}
    return replace(mention, start=mention.start - 1, end=mention.end + 1) if closed else mention


def japanese_roles(sentence: str, named: list[Mention], *, answer_only: bool) -> list[Role]:
    """The role of each mention, looked at from the end: a list shares its last role."""
    roles: list[Role] = []
    following = len(sentence)
    for mention in reversed(named):
        between = sentence[mention.end : following]
        after = sentence[mention.end : mention.end + REACH]
        before = sentence[: mention.start]
        if VALUE_BEFORE.search(before) and VALUE_AFTER.match(after) and not _is_move(before, named):
            role = Role.SOURCE
        elif answer_only:
            put = ANSWER_LANDS.match(after) or is_japanese_object(sentence, mention)
            role = Role.CHANGE if put else Role.SOURCE
        elif roles and LISTED.fullmatch(between):
            role = roles[-1]
        elif roles and OBJECT.fullmatch(between) and not TAKEN_FROM.match(after):
            role = _given_away(sentence, named[len(named) - len(roles)])
        else:
            role = _role(mention, sentence[: mention.start], after)
        roles.append(role)
        following = mention.start
    return roles[::-1]


def _is_move(before: str, named: list[Mention]) -> bool:
    """`a.py を b.py に…`: one file becomes the other, and `から` tells values apart."""
    given = before.rstrip().removesuffix("を").rstrip("「『`\"' ")
    return any(m.end == len(given) for m in named) and before.rstrip().endswith("を")


def _given_away(sentence: str, receiver: Mention) -> Role:
    """The first file of `a.py を b.py に…`: moved away, or only copied from."""
    if sentence[: receiver.start].rstrip().endswith("から"):
        return Role.SOURCE
    after = sentence[receiver.end : receiver.end + REACH]
    return Role.REMOVE if MOVED.match(after) else Role.SOURCE


def _role(mention: Mention, before: str, after: str) -> Role:
    described = DESCRIBES.match(after) is not None and not receives(mention, after)
    if SOURCE.match(after) or described or LATER.match(after):
        return Role.SOURCE
    if WHEN_RUN.search(before):
        return Role.SOURCE
    if REMOVE.match(after):
        return Role.REMOVE
    return Role.CREATE if CREATE.match(after) else Role.CHANGE
