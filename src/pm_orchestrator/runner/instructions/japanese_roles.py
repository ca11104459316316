"""The roles of files in a Japanese sentence, where what is wanted follows the name."""

from pm_orchestrator.runner.instructions.file_names import Mention
from pm_orchestrator.runner.instructions.words.file_roles import Role
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.wording import REACH

SOURCE = pattern(
    r"""
    \s*(?:ファイル)?(?:を(?:参考|参照|元|もと|基|ベース|見|読|除|真似)|に(?:基づ|従|なら)
    |と同じ|のよう|以外|は(?:変更|触|対象外|その|残)|を変更せず|を(?:コピー|変換|分割)
    |について|から|には?触|と比較)
    """
)
REMOVE = pattern(
    r"\s*(?:という)?(?:ファイル)?(?:を|は)[^をにへ。]{0,8}?(?:削除|消し|消去|除去|消す)"
)
CREATE = pattern(
    r"""
    \s*(?:という)?(?:名前の)?(?:新規|新しい)?(?:ファイル)?を(?:新規に?|新しく)?
    (?:作成|作っ|作り|作る|生成|新規)
    """
)
MOVED = pattern(r"\s*(?:に|へ)(?:ファイル名を)?(?:リネーム|改名|移動|名前を?変更|変更|置き換え)")
LISTED = pattern(r"\s*(?:と|、|および|及び|や|,|・)\s*")
OBJECT = pattern(r"\s*(?:ファイル)?(?:を|から)\s*")
ANSWER_LANDS = pattern(r"\s*(?:ファイル)?(?:に|へ|として)(?:書|保存|出力|まとめ|記載|記録|作成)")


def japanese_roles(sentence: str, named: list[Mention], *, answer_only: bool) -> list[Role]:
    """The role of each mention, looked at from the end: a list shares its last role."""
    roles: list[Role] = []
    following = len(sentence)
    for mention in reversed(named):
        between = sentence[mention.end : following]
        after = sentence[mention.end : mention.end + REACH]
        if answer_only:
            role = Role.CHANGE if ANSWER_LANDS.match(after) else Role.SOURCE
        elif roles and LISTED.fullmatch(between):
            role = roles[-1]
        elif roles and OBJECT.fullmatch(between):
            role = _given_away(sentence, named[len(named) - len(roles)])
        else:
            role = _role(after)
        roles.append(role)
        following = mention.start
    return roles[::-1]


def _given_away(sentence: str, receiver: Mention) -> Role:
    """The first file of `a.py を b.py に…`: moved away, or only copied from."""
    after = sentence[receiver.end : receiver.end + REACH]
    return Role.REMOVE if MOVED.match(after) else Role.SOURCE


def _role(after: str) -> Role:
    if SOURCE.match(after):
        return Role.SOURCE
    if REMOVE.match(after):
        return Role.REMOVE
    return Role.CREATE if CREATE.match(after) else Role.CHANGE
