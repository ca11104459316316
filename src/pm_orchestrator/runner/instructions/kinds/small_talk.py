"""Does a line ask for nothing at all: thanks, a greeting, praise, or a bare yes or no?

Each of its clauses has to be made of nothing but such words, which are a closed class in both
languages. A noun, a verb of work, a name or a number in any of them makes an instruction of the
whole line, and so does a question that is no greeting.
"""

from typing import Literal

from pm_orchestrator.runner.instructions.words.patterns import joined, pattern
from pm_orchestrator.runner.instructions.words.verbs import VERBS, word_set
from pm_orchestrator.runner.instructions.words.wording import is_japanese, plain

Talk = Literal["talk", "assent"]
"""`assent` is a yes or no by itself: an answer where something was asked."""

SAID = word_set(
    "thanks thank thx ty cheers hello hi hey hiya howdy yo greetings morning afternoon evening"
    " night goodbye bye cya later welcome sorry oops congrats congratulations great good nice"
    " awesome perfect excellent cool amazing wonderful brilliant fantastic lovely super sweet neat"
    " well wow yay lol haha hahaha lgtm works worked appreciated appreciate impressive beautiful"
    " hmm hm oh ah uh gotcha understood"
)
ASSENT = word_set("yes yeah yep yup y ok okay k sure fine alright no nope n right exactly agreed")
AROUND = word_set(
    "you so very much a an lot for that this it it's that's is was are the all again now help your"
    " my really just and but with work job one done i i'm am we us to too of me everyone everybody"
    " there team claude today day have had see soon please indeed bit ton many guys folks friend"
    " mate looks look sounds sound never mind problem worries"
)
GREETS = pattern(
    r"""
    how\s+are\s+you(?:\s+doing)?(?:\s+today)?|how(?:'s|\s+is)\s+it\s+going|how\s+do\s+you\s+do
    |what(?:'s|\s+is)\s+up|nice\s+to\s+meet\s+you
    """
)
AGREES = pattern(r"\b(?:i\s+see|got\s+it|of\s+course)\b")
# Whatever they are for is over and done; what is to be done comes behind another "and".
GRATEFUL = pattern(
    r"""
    (?:many\s+|ok(?:ay)?,?\s+)?(?:thanks|thank\s+you|thx|cheers)(?:\s+(?:so|very)\s+much|\s+a\s+lot|\s+again)*\s+for\s+.+
    |(?:good|great|nice|excellent|awesome|amazing)\s+(?:work|job)\s+(?:on|with)\s+.+
    """
)
JAPANESE_SAID = joined(
    r"""
    ありがと(?:う|ー)?(?:ございます|ございました|です)?|サンキュー|さんきゅー?|感謝(?:します|です|しています)?
    |助かりました|助かった|お疲れ(?:さま|様)?(?:です|でした)?|おつかれ(?:さま)?(?:です|でした)?
    |こんにち(?:は|わ)|こんばん(?:は|わ)|おはよう?(?:ございます)?|はじめまして|初めまして|お世話になって(?:い)?ます
    |よろしく(?:お願い(?:いた)?します)?|宜しく(?:お願い(?:いた|致)?します)?
    |さようなら|さよなら|またね|また明日|では(?:また|失礼します)|失礼します|おやすみ(?:なさい)?|バイバイ
    |すごい|凄い|すばらしい|素晴らしい|いいね|良いね|いい感じ|良い感じ|いい|良い|よい|完璧|最高|さすが|流石|バッチリ|ばっちり|お見事|見事
    |やった[ーあぁ]*|わーい|嬉しい|うれしい|なるほど|そうか|そうですか|(?:すみ|すい)ません|ごめん(?:なさい)?
    |申し訳(?:ありません|ございません)|大丈夫|問題(?:ない|ありません)|(?:うまく|上手く)(?:いきました|動きました|いった)|動きました
    |笑|w+|草|おめでとう(?:ございます)?
    """
)
JAPANESE_ASSENT = joined(
    r"""
    はい|うん|ええ|いいえ|いや|ううん|了解(?:いたし|致し|し)?|承知(?:いたし|致し|し)?|わかり|分かり|わかった|分かった
    |オッケー|オーケー|OK|おk|お願い(?:いた|致)?します|お願い|それでいい|それで
    """
)
JAPANESE_AROUND = (
    r"本当に|ほんとに|とても|すごく|大変|どうも|いつも|いろいろ(?:と)?|色々(?:と)?|また|では|じゃあ|皆さん|みなさん|今日(?:は|も)?|今回(?:は|も)?|助けてくれて|これ(?:は|で)|それ(?:は)?|"
    r"です|でした|ました|ます|だ|ね|よ|な|ー|ぁ|っ|♪|~|さん|ちゃん|clau?de"
)
JAPANESE_TALK = pattern(
    r"(?:<AROUND>)*(?:(?P<said><SAID>)|<ASSENT>)(?:<AROUND>|<SAID>|<ASSENT>)*",
    AROUND=JAPANESE_AROUND,
    SAID=JAPANESE_SAID,
    ASSENT=JAPANESE_ASSENT,
)
# Gratitude for what was done; "…てもらえると助かります" wants it done.
JAPANESE_GRATEFUL = pattern(
    r"""
    (?!.*(?:して|直して|書いて|追加し|作って)(?:ほしい|欲しい|ください|下さい))
    [^「」『』"'`]{1,40}(?:ありがとう(?:ございます|ございました)?|感謝(?:します|です)|助かりました)(?:ね|♪|ー)*
    """
)
CLAUSE = pattern(
    r"\s*(?:[.,;:!?、。…]+|\s-+\s|\n|\s(?:and|but)\s+(?=thank|thx|good|nice|have|see))\s*"
)
MORE = pattern(r"\s+(?:and|but|then|now)\s+(?=\w)")
SIGN = pattern(r"[^\w\s'?!.,;:、。ぁ-ヿ一-鿿「」『』\"`()/\\@#$%&*+=<>{}\[\]|^~-]")
# A comma between what was done and the thanks for it.
THANKED = pattern(
    r"(?<=[一-龯ァ-ヶー])、(?=ありがと|感謝|助かりました)|(?<=くれて|ただき|さって)、(?=ありがと|感謝)"
)
MOST = 120
"""Characters; whoever writes more has something to say."""


def small_talk(line: str) -> Talk | None:
    """What the whole line is, if it asks for nothing; None for anything else."""
    text = SIGN.sub(" ", plain(line)).strip().lower()
    if not text or len(text) > MOST or _asks(text):
        # A sign alone, as a smile is, asks for nothing either.
        return "talk" if not text and line.strip() else None
    said = THANKED.sub("", AGREES.sub(" ok ", GREETS.sub(" hello ", text)))
    kinds = [_clause(clause) for clause in CLAUSE.split(said) if clause]
    if not kinds or None in kinds:
        return None
    return "talk" if "talk" in kinds else "assent"


def _asks(text: str) -> bool:
    return "?" in GREETS.sub("", text).replace(" ?", "") and GREETS.search(text) is None


def _clause(clause: str) -> Talk | None:
    if is_japanese(clause):
        found = JAPANESE_TALK.fullmatch(clause)
        if found is None:
            return "talk" if JAPANESE_GRATEFUL.fullmatch(clause) else None
        return "talk" if found["said"] else "assent"
    if GRATEFUL.fullmatch(clause):
        return None if any(part.split()[0] in VERBS for part in MORE.split(clause)[1:]) else "talk"
    words = set(clause.split())
    if not words <= SAID | ASSENT | AROUND:
        return None
    if words & SAID or {"never", "mind"} <= words:
        return "talk"
    return "assent" if words & ASSENT else None
