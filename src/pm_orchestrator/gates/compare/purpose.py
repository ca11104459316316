"""What an instruction means for the checks: which of them may change with the product.

Old tests have to hold on new code, but for those whose behaviour the task asks to change;
tests have to stay, but for those it asks to take away. Which ones that are is seen from
what the instruction names: identifiers, words and values that the test itself uses.
"""

import re
import sys
from collections.abc import Iterable, Mapping
from functools import cached_property

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.kept_behaviour import (
    keeps_everything,
    keeps_the_rest,
    kept_parts,
    new_names,
    only_works_over,
)
from pm_orchestrator.gates.compare.task_names import (
    REMOVAL,
    asks_to_remove,
    asks_to_repair,
    things_named,
    words_of,
)
from pm_orchestrator.gates.compare.test_ids import own_name

# Who only adds has no reason to let an old test fail. Every other verb may be one.
ADDING = LatePattern(
    r"(?:please|kindly|can you|could you|would you|let's|also|now|next|finally|and|then|to)\b",
    re.IGNORECASE | re.ASCII,
)
ADDS = LatePattern(
    r"(?:add|create|implement|introduce|write|build|provide|define|append|include|generate|cover"
    r"|document|commit|it|this|they|test)\b"
    # What is said of a new thing asks for nothing that is there.
    r"|(?:by default|with|without|including|otherwise|if|when|for example|e\.g\.|i\.e\."
    r"|both|each|the (?:new|rest|default))\b"
    r"|`?[A-Za-z_][\w.]*\(|`?--\w",
    re.IGNORECASE | re.ASCII,
)
CLAUSES = LatePattern(r"[.;:\n]+\s+|,?\s+(?:and then|then|and)\s+(?=[a-z]+\s)|,\s+", re.IGNORECASE)
ADDS_IN_JAPANESE = LatePattern(r"追加|作成|作っ|作る|実装|新設|書い|書く|足し")
CHANGES_IN_JAPANESE = LatePattern(
    r"変更|変え|改名|リネーム|置き?換|移動|移し|分割|統合|削除|消し|廃止|更新|書き?換|書き直|切り?替"
    r"|修正|直|整理|改善|リファクタ|代わり|ではなく|やめ|ように"
)
# What is given may be left away from now on: who gives it gets what they got.
OMITTED_IN_JAPANESE = LatePattern(
    r"(?:を|は)?省略(?:したら|した場合|すると|時|された|できる|可能)[^。\n]*?ように(?:して|し)(?:ください|下さい|ほしい)?"
)
JAPANESE = LatePattern(r"[぀-ヿ一-鿿]")
SOME_TESTS = r"(?:(?!without\b|no\b|the\b|pass)[\w-]+\s+){0,4}?tests?\b"
NOT_WANTED = r"(?!/|\s+(?:that\s+)?(?:pass|succeed|green|runner|suite|fail|is\b|are\b|it\b))"
MAKES_TESTS = LatePattern(
    r"(?<!without )(?<!no )\b(?:add|writ(?:e|ing)|creat(?:e|ing)|includ(?:e|ing)|provid(?:e|ing)"
    rf"|cover(?:ed)?(?: it| them| this)? (?:by|with)|incl\.?)\s+{SOME_TESTS}{NOT_WANTED}"
    r"|\b(?:add|write|create|supply)\s+(?:all\s+)?the\s+(?:missing|needed|necessary|remaining)\s+"
    r"(?:[\w-]+\s+)?tests?\b"
    r"|テスト(?:コード|ケース)?(?:も|を)?(?:新規に|新しく)?(?:追加|書|作成|作っ|作る|足)",
    re.IGNORECASE | re.ASCII,
)
# They are made with what is made, and go with what goes.
TESTS_WITH_IT = LatePattern(
    r"(?<!without )(?<!no )\b(?:with|plus|and|also)\s+(?P<own>(?:its|their|any|all)\s+)?"
    rf"{SOME_TESTS}{NOT_WANTED}"
    r"|テスト(?:付き|も一緒|込み)",
    re.IGNORECASE | re.ASCII,
)
MAKES_TESTS_FIRST = LatePattern(
    r"\s*(?:please\s+|can you\s+|could you\s+)?"
    r"(?:add|writ|creat|extend|improv|cover|mov|renam)\w*\s+"
    rf"(?:the\s+)?{SOME_TESTS}|[^、。\n]*テスト(?:コード|ケース)?(?:を|も)(?:新規に)?(?:追加|書|作|足|増や)",
    re.IGNORECASE | re.ASCII,
)
MADE = LatePattern(
    r"\b(?:add|creat|implement|introduc|writ|build|provid|generat|make|give|support|allow|let)\w*",
    re.IGNORECASE | re.ASCII,
)
# The check itself is what is wrong.
MENDS_CHECKS = LatePattern(
    r"\b(?:wrong|outdated|stale|obsolete|flaky|incorrect|mistaken|brittle)\s+"
    r"(?:\w+\s+){0,2}(?:tests?|specs?|assertions?)\b"
    r"|\b(?:tests?|specs?|assertions?|test_\w+)\b[^.\n]{0,60}\b(?:wrong|outdated|stale|obsolete|flaky"
    r"|incorrect|mistaken|typo|brittle)\b"
    r"|\b(?:expectations?|expected\s+(?:\w+\s+)?(?:values?|outputs?|results?)|snapshots?|fixtures?"
    r"|golden files?)\b"
    r"|テスト[^。\n]{0,20}(?:間違|古|誤|不安定)|(?:間違った|古い|誤った|不安定な)テスト"
    r"|期待値|スナップショット|フィクスチャ",
    re.IGNORECASE | re.ASCII,
)
# The product is as it should be, so that what is red is the check.
PRODUCT_IS_RIGHT = LatePattern(
    r"\b(?:code|implementation|function|method|module|behaviou?r|product|program|\w[\w/]*\.\w{1,4})\s+"
    r"(?:itself\s+)?(?:is|are|was|were)\s+(?:(?!not\b|never\b)\w+\s+)?(?:right|correct|fine|ok|okay)\b"
    r"|(?:コード|実装|本体|関数|\.\w{1,4})\s*(?:の方|のほう|側)?(?:は|が)(?:正しい|正しく|合って|問題な)",
    re.IGNORECASE | re.ASCII,
)
IS_WANTED = LatePattern(
    r"\b(?:make sure|ensure|check|verify|whether|if|until|should|must|so that|think|not sure)\b"
    r"|ように|か(?:どうか)?(?:確認|調べ)",
    re.IGNORECASE | re.ASCII,
)
LITERAL = LatePattern(
    r"\"([^\"\n]{1,80})\"|'([^'\n]{1,80})'|`([^`\n]{1,80})`|[「『]([^」』\n]{1,80})[」』]"
    r"|(-?\d+(?:\.\d+)?)"
)
# "Let npm test run only test/unit": a gate by its name, and where its tests are to lie.
GATE = LatePattern(
    r"\b(?:npm (?:run )?test|make test|test (?:command|script|target|gate|step|job)|CI|pytest|tox"
    r"|nox|jest|vitest|mocha|go test|cargo test)\b|テスト(?:コマンド|スクリプト|ターゲット)",
    re.IGNORECASE | re.ASCII,
)
ALONE = LatePattern(r"\b(?:only|just|nothing but|solely)\b|だけ|のみ", re.IGNORECASE | re.ASCII)
FORBIDS = LatePattern(r"\b(?:not|never)\b|n't\b|ないで", re.IGNORECASE | re.ASCII)
# "Only the api tests": those that lie in a folder of that name.
TESTS_OF = LatePattern(
    r"\b(?P<before>[a-z][\w-]*)\s+tests?\s+(?:only|alone)\b|\bonly\s+(?:run\s+)?(?:the\s+)?(?P<after>[a-z][\w-]*)\s+tests?\b"
    r"|(?P<ja>[A-Za-z][\w-]*)\s*(?:の)?テスト(?:だけ|のみ)",
    re.IGNORECASE | re.ASCII,
)
# Where something is not to be run; here it has to be run all the same.
ELSEWHERE = LatePattern(
    r"\b(?:on|under)\s+(?:the\s+)?(?P<on>windows|win32|macos|mac|osx|darwin|freebsd)\b"
    r"|(?P<ja>windows|macos|mac)\s*(?:の\S{0,6})?(?:では|でだけ|でのみ|のときだけ|の場合だけ|上では|だけ)",
    re.IGNORECASE | re.ASCII,
)
LEFT_OUT = LatePattern(
    r"\b(?:skip|disabl|exclud|ignor|xfail|leav(?:e|ing)\b.{0,40}\bout)\w*|スキップ|除外|無効|飛ば",
    re.IGNORECASE | re.ASCII,
)
OUR_PLATFORM = {"darwin": ("darwin", "mac", "macos", "osx"), "win32": ("windows", "win32")}
PLACES = LatePattern(r"(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]+/(?:[A-Za-z0-9_.-]+/)*[A-Za-z0-9_.-]*")
SENTENCES = LatePattern(r"(?<=[.!?;])\s+|(?<=。)|\n+")
NAME = r"[A-Za-z_]\w*"
RENAMES = (
    LatePattern(
        rf"\brename\s+(?:the\s+)?(?:\w+\s+){{0,2}}?`?(?P<old>{NAME})(?:\(\))?`?"
        rf"\s+(?:to|as|into)\s+`?(?P<new>{NAME})(?:\(\))?`?(?![\w./])",
        re.IGNORECASE | re.ASCII,
    ),
    LatePattern(
        rf"`?(?P<old>{NAME})(?:\(\))?`?(?:関数|メソッド|クラス|変数)?(?:の名前|の名称)?を\s*"
        rf"`?(?P<new>{NAME})(?:\(\))?`?(?:という名前)?に(?:改名|リネーム|名前を変|変更|変え)",
        re.ASCII,
    ),
)
MOVED_OR_RENAMED = LatePattern(
    r"\b(?:renam|mov(?:e|ing)\b)\w*|改名|リネーム|移動|移し", re.IGNORECASE | re.ASCII
)
# What is said besides, and asks for nothing else than that the rest follows.
FOLLOWS_A_RENAME = LatePattern(
    r"\b(?:please|everywhere|throughout|in|across|the|whole|entire|all|its|their|every|project|code"
    r"|codebase|files?|repo(?:sitory)?|and|also|then|update|adapt|adjust|change|fix|callers?|calls?"
    r"|usages?|uses?|imports?|references?|tests?|docs?|readme|accordingly|too|as|well|function"
    r"|method|class|it|them|where|is|used)\b|[A-Za-z_./]+\.\w+"
    r"|呼び出し(?:元|側|箇所)?|テスト|参照|使用箇所|利用箇所|使っている|箇所|所|すべて|全て|全部|全体|合わせ|併せ"
    r"|更新|修正|変更|直|関数|メソッド|クラス|ください|お願いします|下さい|[もをにのとでてしえすくだ\s.,;、。`]",
    re.IGNORECASE | re.ASCII,
)
MOVES = LatePattern(
    r"\b(?:mov(?:e|es|ing)|relocat\w*|renam\w*|put\b.{0,60}\binto)\b|移動|移し|移す|リネーム|改名|置き換え",
    re.IGNORECASE | re.ASCII,
)
BESIDES_A_MOVE = LatePattern(
    r"\([^)]*\)|\b(?:to|into|from|out|of|under|folder|directory|director(?:y|ies)|scripts?|modules?|contents?"
    r"|everything|including|included|so|that|it|still|works?|keeps?|working|paths?|links?|with|there|new|old)\b"
    r"|フォルダ|ディレクトリ|スクリプト|中身|以下|配下|ところ|パス|ファイル|し|して|へ|に|お願い",
    re.IGNORECASE | re.ASCII,
)
FILES = LatePattern(r"[\w./-]*\.[A-Za-z]\w*\b")


class Purpose:
    """One instruction, as far as checks are concerned."""

    def __init__(self, instruction: str) -> None:
        self._text = instruction

    @cached_property
    def repairs(self) -> bool:
        """Something is wrong now and is to be right."""
        return asks_to_repair(self._text)

    @cached_property
    def removes(self) -> bool:
        """Something is to be taken away or switched off."""
        return asks_to_remove(self._text)

    @cached_property
    def leaves_out_elsewhere(self) -> bool:
        """Tests are not to be run on another platform than this one."""
        ours = OUR_PLATFORM.get(sys.platform, ())
        return any(
            (found["on"] or found["ja"]).lower() not in ours
            for sentence in SENTENCES.split(self._text)
            for found in ELSEWHERE.finditer(sentence)
        ) and bool(LEFT_OUT.search(self._text))

    @cached_property
    def moves(self) -> bool:
        """Files are to lie elsewhere."""
        return MOVES.search(self._text) is not None

    @cached_property
    def only_moves(self) -> bool:
        """Nothing else is asked for than that files lie elsewhere, and that the rest follows."""
        text = self._text.strip()
        for pattern in (LITERAL, PLACES, MOVES, BESIDES_A_MOVE, FOLLOWS_A_RENAME):
            text = pattern.sub(" ", text)
        return self.moves and not text.strip(" /*-")

    @cached_property
    def wants_tests(self) -> bool:
        """Tests are part of what is to be made."""
        return MAKES_TESTS.search(self._text) is not None or any(
            _made_with_it(found, sentence)
            for sentence in SENTENCES.split(self._text)
            for found in TESTS_WITH_IT.finditer(sentence)
        )

    @cached_property
    def makes_tests_alone(self) -> bool:
        """Tests are what is to be made, and nothing that they try."""
        return MAKES_TESTS_FIRST.match(self._text) is not None

    @cached_property
    def mends_checks(self) -> bool:
        """A check is what is wrong, or what is to be worked on."""
        if MENDS_CHECKS.search(self._text):
            return True
        said = (s for s in SENTENCES.split(self._text) if not IS_WANTED.search(s))
        return any(map(PRODUCT_IS_RIGHT.search, said))

    @cached_property
    def only_adds(self) -> bool:
        """Nothing that is there is to be otherwise."""
        if JAPANESE.search(self._text):
            said = OMITTED_IN_JAPANESE.sub("追加", self._text)
            adds = ADDS_IN_JAPANESE.search(said)
            return adds is not None and CHANGES_IN_JAPANESE.search(said) is None
        return all(_adds(clause) for clause in CLAUSES.split(self._text.strip()))

    @cached_property
    def works_over(self) -> bool:
        """What is there is to be written otherwise, and to do the same."""
        return only_works_over(self._text)

    def keeps(self, test: str, text: str, known: str) -> bool:
        """Whether what a test tests is said to stay as it is, or nobody asks for another."""
        words = words_of(known)
        if self.only_adds and new_names(self._text, words):
            return True
        for part in kept_parts(self._text):
            if keeps_everything(part) and MOVED_OR_RENAMED.search(self._text) is None:
                return True
            if keeps_everything(part) or keeps_the_rest(part):
                if not self.is_about(test, text, known):
                    return True
            elif not things_named(part) & words or Purpose(part).is_about(test, text, known):
                return True
        return False

    def leaves_out(self, file: str, known: str = "") -> bool:
        """Whether a gate is to take only what lies elsewhere.

        "Only the api tests" speaks of a place where `known` has a folder of that name.
        """
        places, text = self._only_places, known.lower()
        folders = {n for n in self._only_folders if f"{n}/" in text or f"/{n}" in text}
        if folders and not folders & set(file.lower().split("/")[:-1]):
            return True
        return bool(places) and not any(file.startswith(place) for place in places)

    @cached_property
    def _only_folders(self) -> frozenset[str]:
        if not GATE.search(self._text):
            return frozenset()
        return frozenset(
            next(name for name in found.groups() if name).lower()
            for sentence in SENTENCES.split(self._text)
            if not FORBIDS.search(sentence)
            for found in TESTS_OF.finditer(sentence)
        )

    @cached_property
    def _only_places(self) -> tuple[str, ...]:
        return tuple(
            place
            for sentence in SENTENCES.split(self._text)
            if GATE.search(sentence) and ALONE.search(sentence) and not FORBIDS.search(sentence)
            for place in PLACES.findall(sentence)
        )

    def renamed_in(self, texts: Mapping[str, str]) -> dict[str, bytes]:
        """Texts with the new names in them, where nothing but a new name is asked for."""
        text = self._text.strip()
        names = {f["old"]: f["new"] for pattern in RENAMES for f in pattern.finditer(text)}
        for pattern in RENAMES:
            text = pattern.sub(" ", text)
        if not names or FOLLOWS_A_RENAME.sub("", text):
            return {}
        old = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
        return {
            path: old.sub(lambda found: names[found[0]], content).encode()
            for path, content in texts.items()
            if old.search(content)
        }

    def is_about(self, test: str, text: str, known: str) -> bool:
        """Whether it speaks of what a test tests, by the test's name and what stands in it.

        `known` is everything that is there to be spoken of. A file or folder stands for all
        that is in it only where nothing in it is named.
        """
        there, here = words_of(known), words_of(f"{test} {text}")
        every = things_named(self._text)
        things = things_named(PLACES.sub(" ", FILES.sub(" ", self._text))) & there
        return bool((things or every & there) & here) or not every

    def names_test(self, test: str) -> bool:
        """Whether a test bears the name of something it speaks of, files aside."""
        own = own_name(test).split("[", 1)[0]
        return bool(things_named(FILES.sub(" ", self._text)) & words_of(own))

    def gives_value(self, added: str) -> bool:
        """Whether a value that tests now expect stands in the instruction itself."""
        said = (found[found.lastindex or 0] for found in LITERAL.finditer(self._text))
        return any(stands(value, added) for value in said)


def moved_in(texts: Mapping[str, str], moved: Mapping[str, str]) -> dict[str, bytes]:
    """Texts in which files are called by where they lie now; only those that are others by it.

    `moved` holds paths from before and their new ones. Where all of a folder went, its name
    goes with it; and a text itself is where it was.
    """
    paths = {**_moved_folders(moved), **moved}
    if not paths:
        return {}
    old = "|".join(re.escape(path) for path in sorted(paths, key=len, reverse=True))
    known = re.compile(rf"(?<![\w-])(?:{old})(?![\w-])")
    return {
        path: known.sub(lambda found: paths[found[0]], content).encode()
        for path, content in texts.items()
        if known.search(content)
    }


def _moved_folders(moved: Mapping[str, str]) -> dict[str, str]:
    pairs = {(p.rpartition("/")[0], now.rpartition("/")[0]) for p, now in moved.items()}
    before = [old for old, _ in pairs]
    return {f"{old}/": f"{new}/" for old, new in pairs if old and new and before.count(old) == 1}


def _made_with_it(found: re.Match[str], sentence: str) -> bool:
    """Whether tests come with something, and are not there already or go with it."""
    if JAPANESE.search(sentence):
        return not asks_to_remove(sentence)
    before = sentence[: found.start()]
    made = max((verb.start() for verb in MADE.finditer(before)), default=-1)
    gone = max((verb.start() for verb in REMOVAL.finditer(before)), default=-1)
    return made > gone if found["own"] else gone < 0 or made > gone


def _adds(clause: str) -> bool:
    text = clause.strip()
    while opening := ADDING.match(text):
        text = text[opening.end() :].strip()
    return not text or ADDS.match(text) is not None


def stands(value: str, text: str) -> bool:
    """Whether a value stands in a text by itself, and not in a longer one."""
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.]|\.\d)", text) is not None


def added_lines(before: Iterable[str | None], after: Iterable[str | None]) -> str:
    """What stands in files now and did not before."""
    old = {line for text in before for line in (text or "").splitlines()}
    new = (line for text in after for line in (text or "").splitlines())
    return "\n".join(line for line in new if line not in old)
