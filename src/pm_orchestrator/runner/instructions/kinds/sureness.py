"""Is an instruction surely a question, surely a change, or neither?

Talk completes only what is surely a question. A polite request looks like one ("can you bring
it up to date?"), so a question mark proves nothing; only a verb that asks, or a question
about how things are, does. Where no verb is known it is unsure, and what happens decides.
"""

from pm_orchestrator.runner.instructions.file_names import speaks_japanese
from pm_orchestrator.runner.instructions.gate_requests import gate_request
from pm_orchestrator.runner.instructions.kinds.forbidding import forbids_changes
from pm_orchestrator.runner.instructions.kinds.task_types import ANSWERS, recognised
from pm_orchestrator.runner.instructions.words import english_words as words
from pm_orchestrator.runner.instructions.words.pasted import spoken
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.verbs import GERUNDS, VERBS
from pm_orchestrator.runner.instructions.words.wording import plain, sentences

# A wish in the form of a question about ability or possibility, up to its verb.
WISH = pattern(
    r"""
    ^(?:so\s+|hey,?\s+|hi,?\s+|ok,?\s+|please\s+)*(?:(?:is|would|will)\s+it\s+(?:be\s+)?possible\s+(?:for\s+you\s+)?to
    |are\s+you\s+(?:able|willing)\s+to|(?:do|would)\s+you\s+mind|any\s+chance\s+(?:you|we)\s+(?:can|could|would)
    |any\s+chance\s+(?:of|for)|(?:can|could|would|will|won't|can't|couldn't|wouldn't)\s+(?:you|we))
    \s+(?!rather\b|prefer\b|personally\b)(?:please\s+|maybe\s+|also\s+|just\s+|quickly\s+)*(?P<verb>[a-z]+)
    """,
    needs="possible able willing mind chance you we",
)
# Of a thing it is asked what it can do; what it could be or have is wished for.
WISHED_OF = pattern(
    r"""
    ^(?:can|could|would|should|shouldn't|couldn't|can't)\s+(?:the|this|that|it|there|they|our|those|these)\b[^?]*?\s(?:be|have|get|look)\s
    (?!(?:the\s+)?(?:used|called|run|cause|caused|reason|problem|executed|accessed|reached|found|shared|problems?)\b)
    """,
    needs="be have get look",
)
HOW_IT_IS = pattern(
    r"(?:can|could|would|will|does|do|did|is|are|should|has|have|may|must)\s+(?!you\b|we\b)\w+"
)
ANSWERING = frozenset({"read", "run"})
JAPANESE_WISH = pattern(
    r"""
    (?:て|で)(?:も)?(?:もらえ|いただけ|頂け|くれ|くださ(?:い|る)|もらって(?:も)?(?:いい|よい))(?:ます|ません|る|ない)?(?:でしょう)?(?:か|\?|$)
    |(?:に|く|を[^、。]{0,20}(?!利用|使用|実行|確認|取得|参照|対応|アクセス)[一-龯ァ-ヶー]{2})(?:でき|出来)(?:ます|ません|る|ない)(?:でしょう)?(?:か|\?|$)|(?:お願い|依頼)でき|可能(?:です|でしょう)?か
    |(?:く|に)なら(?:ない|ん)(?:もの)?(?:でしょう)?か|(?:なり|直り|直せ|変えられ|作れ|消せ|増やせ|減らせ)(?:ます|ません)か
    """
)
# "…、直せる?": asked of nothing but the one who is spoken to, it is a wish. What a program or a
# file can do is told by its particle.
JAPANESE_ABILITY = pattern(
    r"""
    (?:^|[、,])(?![^、,]*(?:で|から|は|って|には|とは|れば|たら)[^、,]{0,20}$)[^、,]*?
    (?:直せ|治せ|変えられ|変えれ|作れ|消せ|増やせ|減らせ|書け|足せ|加えられ|移せ|外せ|揃えられ|戻せ|入れられ|分けられ|まとめられ|付けられ|上げられ|下げられ|書き換えられ|置き換えられ
    |(?:修正|変更|追加|削除|更新|作成|実装|改名|移動|対応|翻訳|統一|整理|リファクタ(?:リング)?|コミット|マージ)(?:でき|出来))
    (?:る|ます|ない|ません|そう)(?:です)?(?:か|かな|かね)?[?？。]*$
    """
)
JAPANESE_TELLS = pattern(
    r"""
    なぜ|どう|どこ|何|なに|いつ|誰|どれ|どの|どんな|いくつ|教え|説明|解説|確認|調べ|調査|一覧(?:を(?:表示|出|見|くだ)|にして)|列挙|見せ|示し|報告|要約|レビュー|提案|見積
    |比較|おすすめ|お勧め|案を|アドバイス|理由|原因|とは|まとめ|分析|評価|計画|下書き|草案|案
    """
)


# Whatever was asked before, this asks for the deed.
GO_AHEAD = pattern(
    r"""
    (?:^|[,;:]\s*|\b(?:then|and|please)\s+)(?:(?:then|please|just|simply|so)\s+)*(?:do\s+(?:it|that|so)|go\s+ahead)\b
    |^(?:(?:if|unless|otherwise|in\s+that\s+case)\b[^,]*,\s*)?(?:(?:then|please|just|simply|so)\s+)*
    (?:add|fix|change|make|build|implement|write|remove|delete)\s+(?:it|that|them|one)\b
    |(?:そのまま|ついでに|すぐ)?(?:やって|進めて|直して|足して)(?:おいて|しまって)?(?:ください|下さい|ほしい|欲しい|よい|いいです|構いません|おいて|$)
    """
)


def is_unsure(instruction: str) -> bool:
    """Whether the words say neither that something is to be changed nor that it is asked for."""
    request = gate_request(instruction)
    if request is not None and request.alone:
        return False
    text = plain(spoken(instruction)) or plain(instruction)
    kinds = recognised(text, guessed=False)
    if any(kind not in ANSWERS for kind in kinds):
        return False
    said = sentences(text)
    if kinds:
        return any(_is_wish(sentence) for sentence in said)
    return any(_is_wish(s) or not _asks_how_it_is(s) for s in said)


def _asks_how_it_is(sentence: str) -> bool:
    """A question about a thing, or about what the person may do themselves."""
    return HOW_IT_IS.match(sentence) is not None and sentence.rstrip().endswith("?")


def _is_wish(sentence: str) -> bool:
    asks = sentence.rstrip().endswith(("?", "？"))
    if not asks and GO_AHEAD.search(sentence) and not forbids_changes(sentence):
        return True
    if speaks_japanese(sentence):
        wish = JAPANESE_WISH.search(sentence) or JAPANESE_ABILITY.search(sentence)
        return wish is not None and not JAPANESE_TELLS.search(sentence)
    if WISHED_OF.search(sentence):
        return True
    found = WISH.search(sentence)
    if found is None:
        return False
    verb = GERUNDS.get(found["verb"].lower(), found["verb"].lower())
    if words.ASKS.match(verb) or words.LOOKS.match(verb) or words.REPORTS.match(verb):
        return False
    possible = "possible" in found.group().lower()
    return VERBS.get(verb, "run" if possible else "") not in ANSWERING or verb in WISHED


WISHED = frozenset({"have", "get", "make", "turn", "bring", "be"})
