"""Does an instruction ask for a check of the project to be run?

"Run the tests" is done when the Runner itself has run them, whatever an executor says,
so these requests are recognised apart from questions. Only plain ones count: part of the
tests, or tests that run later ("before every commit"), are other work.
"""

import re

import msgspec

from pm_orchestrator.domain.judging.gate import GateKind
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern
from pm_orchestrator.runner.instructions.words.wording import clauses, is_japanese, plain, sentences

# The words for each check; the first group that is found in a request names it.
NOUNS: dict[GateKind, str] = {
    "lint": joined(
        r"""
        make lint|npm run lint|cargo clippy|go vet|ruff(?: check)?|eslint|clippy|flake8
        |lint(?:ers?|ing)?(?: checks?| gate)?|リンター|リント|静的解析
        """
    ),
    "test": joined(
        r"""
        make test|npm (?:run )?test|cargo test|go test|python3? -m (?:pytest|unittest)|pytest
        |unittest|jest|vitest|mocha|(?:unit )?tests?(?: suites?| gate)?
        |(?:ユニット|単体)?テスト(?:スイート|一式)?
        """
    ),
    "build": r"make build|npm run build|cargo build|go build|build|ビルド",
}
NOUN = "|".join(NOUNS.values())
ENGLISH_WHICH = r"(?:(?:the|all|our|my|every|whole|entire|full|of|existing|project's|project) )*"
AGAIN = joined(
    r"""
    (?: (?:again|now|once|once more|locally|please|for me|for us|here|first|from scratch
    |(?:in|of|for) (?:this|the|my|our) (?:project|repo|repository|code|codebase)))*
    """
)
RUNS = pattern(
    r"""
    (?:(?:run|execute|re-?run|launch|kick off) `?<WHICH>(?P<run>(?:<NOUN>)(?:`?[,/] ?(?:<NOUN>))*)
    |(?:check|verify|confirm|see)(?: that| if| whether)? <WHICH>(?P<holds><NOUN>)(?: still)?
        (?: all)? (?:pass(?:es)?|succeeds?|works?|(?:is|are) (?:green|clean|passing|fine|ok))
    |(?P<verb>lint) (?:the |our |my |all |whole )*(?:code|codebase|project|repo|repository
        |sources?|files))`?<AGAIN>[.!?]*
    """,
    needs="run execute launch kick check verify confirm see lint",
    WHICH=ENGLISH_WHICH,
    NOUN=NOUN,
    AGAIN=AGAIN,
)
MORE = pattern(
    r"(?:also )?<WHICH>(?P<run><NOUN>)<AGAIN>[.!?]*", WHICH=ENGLISH_WHICH, NOUN=NOUN, AGAIN=AGAIN
)
# What may stand beside it and asks for nothing else: to hear how it went.
TELLS = pattern(
    r"""
    (?:(?:tell|show|give|let) (?:me|us)|report|print|show|summari[sz]e|say|list|see|check)
    (?: (?:me|us|know|about|the|an?|results?|output|outcome|summary|how|it|they|that|goes?|went|did
    |whether|if|pass(?:es|ed)?|fail(?:s|ed|ing|ures?)?|what|which|ones?|tests?|any|of|them|to|all
    |are|is|green|red|broken|errors?|back|happens|happened|on|do|does|there|so|succeed(?:s|ed)?))*
    [.!?]*
    """
)

POLITELY = joined(
    r"""
    (?:(?:みて|おいて)?(?:ください|下さい|くれ(?:ますか|ませんか)?|ほしい(?:です)?|欲しい(?:です)?
    |もらえますか|いただけますか|頂けますか)?)
    """
)
HOW_IT_WENT = joined(
    r"""
    (?:その)?(?:テスト)?(?:の)?(?:結果|出力|成否|失敗(?:した)?(?:もの|テスト|箇所|一覧)?
    |どれが失敗(?:する|した|している)か|通るか(?:どうか)?)(?:を|が|は)?
    (?:教え|報告し|見せ|表示し|出力し|まとめ|知らせ|確認し|要約し)て<POLITELY>
    """,
    POLITELY=POLITELY,
)
JAPANESE_WHICH = joined(
    r"""
    (?:もう一度|再度|まずは?|では|一度|すべての|全ての|全部の|全|この(?:プロジェクト|リポジトリ|コード)の
    |プロジェクトの|既存の|、|,| )*
    """
)
JAPANESE_RUNS = pattern(
    r"""
    <WHICH>(?:(?P<run>(?:<NOUN>)(?:(?: ?(?:と|、|や|および|及び|・|,|そして) ?)(?:<NOUN>))*)
        [ ]?(?:コマンド)?(?:を|の)? ?(?:すべて|全て|全部|もう一度|再度|一度|一通り)?
        (?:(?:再?実行|実施)(?:して<POLITELY>|し|をお願い(?:します)?|お願いします|せよ|しろ|する)?
        |(?:走らせ|回し|流し|かけ|通し)(?:て<POLITELY>)?)
    |(?P<verb>ビルド)(?:して<POLITELY>|し|をお願い(?:します)?)
    |(?P<holds><NOUN>)(?:が|は)(?:すべて|全て|全部)?(?:通る|パスする|成功する|通って(?:い)?る)
        か(?:どうか)?(?:を)?(?:(?:確認|チェック|検証)(?:して<POLITELY>|し|をお願い(?:します)?)
        |確かめて<POLITELY>))
    (?:[、,]? ?<HOW_IT_WENT>)?[。.!?]*
    """,
    WHICH=JAPANESE_WHICH,
    NOUN=NOUN,
    POLITELY=POLITELY,
    HOW_IT_WENT=HOW_IT_WENT,
)
JAPANESE_TELLS = pattern(r"<HOW_IT_WENT>[。.!?]*", HOW_IT_WENT=HOW_IT_WENT)
KINDS_IN: dict[GateKind, LatePattern] = {
    kind: LatePattern(noun, re.IGNORECASE | re.ASCII) for kind, noun in NOUNS.items()
}


class GateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Checks that an instruction asks to be run."""

    kinds: tuple[GateKind, ...]
    alone: bool
    """Nothing else is asked for, but perhaps how it went."""


def gate_request(instruction: str) -> GateRequest | None:
    """The checks to be run; None where the instruction asks for none."""
    found: dict[GateKind, None] = {}
    alone = True
    for sentence in sentences(plain(instruction)):
        japanese = is_japanese(sentence)
        parts = [sentence] if japanese else clauses(sentence)
        runs, tells = (JAPANESE_RUNS, JAPANESE_TELLS) if japanese else (RUNS, TELLS)
        listing = False
        for part in parts:
            asked = runs.fullmatch(part) or (MORE.fullmatch(part) if listing else None)
            listing = asked is not None
            if asked is not None:
                found |= dict.fromkeys(_kinds(asked.groupdict()))
            elif not found or tells.fullmatch(part) is None:
                alone = False
    return GateRequest(kinds=tuple(k for k in NOUNS if k in found), alone=alone) if found else None


def _kinds(groups: dict[str, str | None]) -> list[GateKind]:
    named = " ".join(text for text in groups.values() if text)
    return [kind for kind, noun in KINDS_IN.items() if noun.search(named)]
