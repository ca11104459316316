"""What an executor says when it stops: taken down, and refused where it only supposes.

A claim of completion that says "should work now" is not even a claim. Refusing
it is a remark beside the facts: it lowers no status and raises none. So the
patterns look for a doubt about the work being done, not for words of doubt:
code that handles what may happen is honest work.
"""

import re

from pm_orchestrator.domain.catalogue.reasons import known_reason, reason_text
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.domain.record import Record
from pm_orchestrator.domain.text import Lang

QUOTED_AT_MOST = 80
LOOKED_AT = 20_000
"""Characters; a claim that long ends with its point."""

# What is quoted is not said: code, messages, the words of others.
QUOTED = LatePattern(
    r"```.*?```|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』",
    re.DOTALL,
    needs='` " “ 「 『',
)

_DONE = (
    r"(?:done|complete[d]?|finished|fixed|work(?:s|ed|ing)?|pass(?:es|ed|ing)?|ready|correct"
    r"|resolved|implemented|succeed(?:s|ed)?|good|fine|ok(?:ay)?)\b"
)
_SUBJECT = (
    r"(?:it(?: all)?|this|that|everything|all(?: of (?:it|this|them))?|things?"
    r"|(?:the |all )?(?:tests?|code|feature|changes?|fix|task|work|implementation|build|suite))"
)
_AUXILIARY = r"(?:['’](?:s|re|ve)|(?: (?:now|all|also|is|are|be|been|has|have|will|should))*)"
_FINISHED = (
    r"(?:完了|完成|終了|終わ[っりる]|動作|動[いきく]|通[っりる]|修正(?:され|でき|済)|成功"
    r"|実装(?:され|でき|し|済)|直っ|直り|でき(?:て|た|ました)|問題な|大丈夫)"
)


def _doubt(needs: str, text: str) -> LatePattern:
    return LatePattern(text, re.IGNORECASE | re.MULTILINE, needs=needs)


SPECULATIVE = (
    # it should (now) work; the tests ought to pass
    _doubt(
        "should ought",
        rf"\b{_SUBJECT} (?:should|ought to)(?: (?:now|all|also|be|just))* {_DONE}",
    ),
    _doubt("should ought", rf"^[^\w\n]*(?:should|ought to)(?: (?:now|all|be))* {_DONE}"),
    # probably done; hopefully everything works
    _doubt(
        "probably presumably hopefully supposedly theor maybe perhaps",
        r"\b(?:probably|presumably|hopefully|supposedly|theoretically|in theory|maybe|perhaps)"
        rf",?(?: {_SUBJECT})?{_AUXILIARY} {_DONE}",
    ),
    _doubt(
        "likely",
        rf"\b(?:is|are|will|has|have) (?:most |very )?likely(?: (?:now|be|been))* {_DONE}",
    ),
    # I think it is done; I believe the tests pass
    _doubt(
        "think guess hop believe assum suppose suspect",
        r"\bI(?:['’]m| am)? (?:think|guess|hope|believe|assume|suppose|suspect|assuming|hoping)"
        rf"(?: that)? (?:{_SUBJECT}|we|I){_AUXILIARY} {_DONE}",
    ),
    _doubt(
        "think guess hope believe assume suppose probably presumably",
        rf"\b{_DONE},? (?:I (?:think|guess|hope|believe|assume|suppose)\b(?! \w)"
        r"|(?:probably|presumably|hopefully)\b)",
    ),
    # it seems to work; not sure whether it works
    _doubt(
        "seem appear",
        rf"\b{_SUBJECT} (?:seems?|appears?)(?: to)?(?: (?:now|be|have|been))* {_DONE}",
    ),
    _doubt(
        "sure certain",
        rf"\bnot (?:\w+ )?(?:sure|certain) (?:if|whether|that) {_SUBJECT}{_AUXILIARY} {_DONE}",
    ),
    _doubt(
        "はず と思 かもしれ でしょう だろう 気がし っぽい みたいです 見込み",
        rf"{_FINISHED}[^。！？!?\n、]{{0,12}}"
        r"(?:はず(?!の)|と思(?:い|う|わ|って)|かもしれ|でしょう|だろう|気がし|っぽい|みたいです|見込み)",
    ),
    _doubt(
        "おそらく 恐らく たぶん 多分 きっと",
        rf"(?:おそらく|恐らく|たぶん|多分|きっと)[^。！？!?\n]{{0,16}}{_FINISHED}",
    ),
)


class ClaimReview(Record, frozen=True, kw_only=True):
    """Whether a claim is kept as one. It never becomes a status."""

    accepted: bool
    reason_key: str
    reason_params: dict[str, str]

    def __post_init__(self) -> None:
        known_reason(self.reason_key)

    def reason(self, lang: Lang = "en") -> str:
        return reason_text(self.reason_key, self.reason_params, lang)


def review_claim(claim: ExecutorClaim) -> ClaimReview:
    """Refuse a claim of completion that only supposes it; keep every other."""
    words = speculation(claim.summary) if claim.kind == "finished" else None
    if words is None:
        return ClaimReview(accepted=True, reason_key="claim_taken_down", reason_params={})
    return ClaimReview(
        accepted=False, reason_key="claim_speculative", reason_params={"words": words}
    )


def speculation(summary: str) -> str | None:
    """The words that suppose the work to be done, if there are any."""
    said = QUOTED.sub(" … ", summary[-LOOKED_AT:])
    found = (pattern.search(said) for pattern in SPECULATIVE)
    first = next((match for match in found if match), None)
    return " ".join(first[0].split())[:QUOTED_AT_MOST] if first else None
