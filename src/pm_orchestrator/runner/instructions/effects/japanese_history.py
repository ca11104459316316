"""Commits, branches, tags and merges that a Japanese sentence asks for."""

import re
from collections.abc import Callable, Iterator

from pm_orchestrator.domain.judging.effect import Effect, EffectKind
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.effects.commit_wording import japanese_only
from pm_orchestrator.runner.instructions.effects.starting_points import (
    FROM,
    JAPANESE,
    japanese_start,
    japanese_target,
    point,
)
from pm_orchestrator.runner.instructions.file_names import is_file_name
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern

WORD = r"(?:\x00\d+\x00|[A-Za-z0-9_][A-Za-z0-9_./-]*)"
NAME = joined(r"[「『`\"]?(?P<name><WORD>)/?[」』`\"]?", WORD=WORD)
OTHER = NAME.replace("name", "other")
# "A、BとCのブランチ": a list before the last name.
LIST = joined(
    r"(?<![A-Za-z0-9_./-])(?P<list>(?:[「『`\"]?<WORD>[」』`\"]?\s*(?:と|、|,|および|及び)\s*){0,20})",
    WORD=WORD,
)
ASKS = joined(
    r"""
    て(?!は|も|いる|いた|おら|ある|から)|(?:する|く|る|す|つ)(?=こと|[。!?\s]|$)|を?(?:お)?願い|、|(?=[。!?\s]|$)|せよ|しろ
    """
)
SURU = joined(
    r"(?:し<ASKS>|する(?=こと|[。!?\s]|$)|を?(?:お)?願い|せよ|しろ|(?=[。!?]|$))", ASKS=ASKS
)
DELETED = joined(r"(?:削除<SURU>|消去<SURU>|消し<ASKS>)", SURU=SURU, ASKS=ASKS)
COMMITTED = pattern(
    r"コミット(?:し<ASKS>|する(?=こと|[。!?\s]|$)|まで(?:し|お願い|行)|を?(?:お)?願い|を作成し<ASKS>|(?=[。!]|$)|してください)",
    ASKS=ASKS,
)
MADE = joined(
    r"\s*(?:新規に?|新しく)?(?:作成<SURU>|作(?:っ|り)<ASKS>|切(?:っ|り)<ASKS>|追加<SURU>)",
    SURU=SURU, ASKS=ASKS,
)  # fmt: skip
BRANCHED = pattern(
    r"(?:<NAME>\s*(?:という)?(?:名前の)?(?:新しい)?ブランチ|ブランチ\s*<OTHER>)\s*を\s*(?P<from><FROM>)?<MADE>",
    NAME=NAME, OTHER=OTHER, MADE=MADE, FROM=FROM,
)  # fmt: skip
NEW_BRANCH = pattern(r"新しいブランチを<MADE>", MADE=MADE)
SWITCHED = pattern(
    r"<NAME>\s*(?:ブランチ\s*)?(?:(?:に|へ)\s*(?:切り?替え<ASKS>|スイッチ<SURU>|チェックアウト<SURU>|戻っ?<ASKS>)|を\s*(?:チェックアウト|checkout)\s*<SURU>)",
    NAME=NAME, SURU=SURU, ASKS=ASKS,
)  # fmt: skip
RENAMED = pattern(
    r"(?:<NAME>\s*(?:という)?ブランチ(?:の)?(?:名前?)?|ブランチ(?:の?名前?を?)?\s*<WAS>(?:から)?)を?\s*<OTHER>\s*(?:に|へ)\s*(?:改名|リネーム|(?:名前を?)?変更)<SURU>",
    NAME=NAME, WAS=NAME.replace("name", "was"), OTHER=OTHER, SURU=SURU,
)  # fmt: skip
GONE = pattern(
    r"""
    (?:<LIST><NAME>\s*(?:という|の)?(?:名前の)?(?:古い|ローカル)?(?P<last>ブランチ|タグ)|(?P<first>ブランチ|タグ)\s*<BEFORE><OTHER>)
    (?:を|は(?:[^、。をに]{1,20}(?:ので|から|ため)、?)?)\s*(?:両方|すべて|全て)?(?:とも)?<DELETED>
    """,
    LIST=LIST, NAME=NAME, BEFORE=LIST.replace("list", "before"), OTHER=OTHER, DELETED=DELETED,
)  # fmt: skip
SWEPT = pattern(
    r"(?:<NAME>\s*(?:ブランチ)?(?:に|へ)\s*)?(?:すでに|既に)?(?:マージ|merge)(?:済み?|された|した|が終わった)の?(?:ローカル|古い|不要な)?(?:の)?ブランチ(?:を|は)\s*(?:すべて|全て|全部)?<DELETED>",
    NAME=NAME, DELETED=DELETED,
)  # fmt: skip
VERSION = r"v?\d+(?:\.\d+)+[A-Za-z0-9.-]*"
PUT = joined(
    r"\s*(?:付け<ASKS>|つけ<ASKS>|打(?:っ|ち)<ASKS>|作成<SURU>|切(?:っ|り)<ASKS>|付与<SURU>)",
    SURU=SURU, ASKS=ASKS,
)  # fmt: skip
TAGGED = pattern(
    r"""
    [「『`"]?(?P<name><VERSION>|\x00\d+\x00)[」』`"]?\s*(?:の|という|で)?(?:git)?\s*タグ(?:を|も)?\s*(?:(?P<to><POINT>)に)?<PUT>
    |タグ\s*[「『`"]?(?P<other><VERSION>)[」』`"]?\s*を\s*(?:(?P<at><POINT>)に)?<PUT>
    """,
    VERSION=VERSION, PUT=PUT, POINT=JAPANESE,
)  # fmt: skip
MERGED = pattern(
    r"<NAME>\s*(?:ブランチ)?を\s*(?:(?:<OTHER>|今の|現在の|この)\s*(?:ブランチ)?(?:に|へ)\s*)?(?:マージ|merge|統合)<SURU>",
    NAME=NAME, OTHER=OTHER, SURU=SURU,
)  # fmt: skip
LAST = r"(?:直前|最後|最新|前回|直近|(?:一|ひと)つ前|HEAD)の?"
# Its own words may stand between the message and the verb: "の誤字を", "を「…」に".
REWORDED = pattern(
    r"""
    (?:<LAST>コミット(?:の)?(?:コミット)?メッセージ|コミットメッセージ(?=を[「『"\x00]))(?:の[^、。をに]{1,12})?を(?:[「『"][^」』"]*[」』"]|[^。を「『"]){0,40}?\s*
    (?:(?:変更|修正|更新|訂正|編集|改善)<SURU>|(?:直し|書き換え|書き直し|変え|改め|し)<ASKS>)
    """,
    LAST=LAST, SURU=SURU, ASKS=ASKS,
)  # fmt: skip
AMENDED = pattern(
    r"""
    <LAST>コミットを\s*(?:amend|アメンド|修正)<SURU>|<LAST>コミットに\s*(?:これも?を?|変更も?を?)?\s*(?:追加<SURU>|含め<ASKS>)
    """,
    LAST=LAST, SURU=SURU, ASKS=ASKS,
)  # fmt: skip
SQUASHED = pattern(
    r"コミットを\s*(?:(?:一|1|ひと)つに(?:まとめ<ASKS>|統合<SURU>)|(?:squash|スカッシュ)<SURU>)",
    SURU=SURU, ASKS=ASKS,
)  # fmt: skip
COMMIT = joined(
    r"""
    (?:commit_called_\d+_|(?<![A-Za-z0-9_])[0-9a-f]{7,40}(?![A-Za-z0-9_])|HEAD(?:[~^]\d*)*
    |(?:HEADの)?(?:一|ひと|二|ふた|三|\d+)つ?前の(?=コミット)|(?:最新|直前|最後|直近)の(?=コミット))
    """
)
CARRIED = pattern(
    r"(?P<list><COMMIT>(?:\s*(?:の?コミット)?\s*(?:と|、|および)\s*<COMMIT>)*)\s*(?:という|の)?(?:(?:二|2|両|ふた)?つ?の?コミット)?(?:の?(?:両方|二つ|だけ|のみ))?(?:を|は)(?P<mid>[^。]{0,30}?)(?:(?P<pick>(?:cherry-?\s?pick|チェリー\s?ピック)\s*<SURU>)|(?P<back>(?:git\s*)?(?:revert|リバート)\s*<SURU>|打ち消(?:し|す)<ASKS>|取り消し<ASKS>|元に戻し<ASKS>))",
    COMMIT=COMMIT, SURU=SURU, ASKS=ASKS,
)  # fmt: skip
EACH_COMMIT = LatePattern(COMMIT)
ONTO = pattern(r"<NAME>\s*(?:ブランチ)?(?:に|へ)\s*$", NAME=NAME)
UNTRACKED = pattern(
    r"(?:<LIST><NAME>\s*(?:を|は)\s*(?:git\s*の?\s*)?(?:(?:管理|追跡|トラッキング)(?:対象)?|インデックス|リポジトリ|git)\s*から\s*(?:外し<ASKS>|除外<SURU>|はずし<ASKS>|削除<SURU>)|<BEFORE><OTHER>\s*の\s*(?:git\s*の?\s*)?(?:追跡|管理|トラッキング)を?\s*(?:やめ<ASKS>|止め<ASKS>|停止<SURU>|解除<SURU>))",
    LIST=LIST, NAME=NAME, BEFORE=LIST.replace("list", "before"), OTHER=OTHER, SURU=SURU, ASKS=ASKS,
)  # fmt: skip
SPLIT = LatePattern(r"\s*(?:と|、|,|および|及び)\s*")
Find = Callable[[LatePattern], Iterator["re.Match[str]"]]


def japanese_history(find: Find, path: Callable[[str | None], str]) -> Iterator[Effect]:
    """What is asked of the repository; `find` leaves out what is forbidden or left open."""
    for wanted, kind in HAPPENED.items():
        for found in find(wanted):
            only = japanese_only(found.string, path) if kind == "committed" else ()
            yield Effect(kind=kind, only=only)
    yield from _branches(find, path)
    yield from _gone(find, path)
    for found in find(TAGGED):
        given, before = found["to"] or found["at"], found.string[: found.start()]
        at = point(given, path) if given else japanese_target(before, path)
        yield Effect(kind="tagged", name=path(found["name"] or found["other"]), at=at)
    yield from _carried(find, path)
    for found in find(MERGED):
        # "a.mdをb.mdに統合" is about documents.
        if not is_file_name(name := path(found["name"])):
            yield Effect(kind="merged", name=name, at=path(found["other"]))


def _branches(find: Find, path: Callable[[str | None], str]) -> Iterator[Effect]:
    branched = list(find(BRANCHED))
    for found in branched:
        given, before = found["from"], found.string[: found.start()]
        at = point(given, path) if given else japanese_start(before, path)
        yield Effect(kind="branched", name=path(found["name"] or found["other"]), at=at)
    if not branched and any(True for _ in find(NEW_BRANCH)):
        yield Effect(kind="branched")
    for found in find(SWITCHED):
        if not is_file_name(name := path(found["name"])):
            yield Effect(kind="switched", name=name)
    for found in find(RENAMED):
        was = path(found["name"] or found["was"])
        yield Effect(kind="branched", name=path(found["other"]), source=was)
        yield Effect(kind="branch_gone", name=was)


def _carried(find: Find, path: Callable[[str | None], str]) -> Iterator[Effect]:
    """Commits that are to be brought over or taken back, and files that git is to let go."""
    for found in find(CARRIED):
        onto = ONTO.search(found["mid"] or "")
        for token in EACH_COMMIT.findall(f"{found['list']}コミット"):
            name = point(f"{token}コミット" if token.endswith("の") else token, path)
            kind: EffectKind = "picked" if found["pick"] else "reverted"
            yield Effect(kind=kind, name=name, at=path(onto["name"]) if onto else "")
    for found in find(UNTRACKED):
        for name in listed_names(found, path):
            yield Effect(kind="untracked", name=name)


def _gone(find: Find, path: Callable[[str | None], str]) -> Iterator[Effect]:
    for found in find(GONE):
        tag = (found["last"] or found["first"]) == "タグ"
        for name in listed_names(found, path):
            yield Effect(kind="tag_gone" if tag else "branch_gone", name=name)
    for found in find(SWEPT):
        yield Effect(kind="branch_gone", at=path(found["name"]))


def listed_names(found: "re.Match[str]", path: Callable[[str | None], str]) -> list[str]:
    """The names of a list that ends in the one that was found."""
    groups = found.groupdict()
    listed = SPLIT.split(groups["list"] or groups.get("before") or "")
    tokens = (*listed, groups["name"] or groups["other"] or "")
    return [name for token in tokens if (name := path(token.strip('「」『』`"')))]


HAPPENED: dict[LatePattern, EffectKind] = {
    COMMITTED: "committed",
    REWORDED: "reworded",
    AMENDED: "amended",
    SQUASHED: "squashed",
}
