"""Words that forbid every change: an answer is all that is wanted."""

from pm_orchestrator.runner.instructions.words.pasted import spoken
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern
from pm_orchestrator.runner.instructions.words.wording import plain

NOTHING_MORE = joined(
    r"""
    (?!\s+(?:else|other|more|in|about|besides|outside|beyond|but|except|under|related|that|which|I
    |from|there)\b)
    """
)
FORBIDS = pattern(
    r"""
    \b(?:don't|do\s+not|without|never|not|no\s+need\s+to|rather\s+than)\s+(?:yet\s+|actually\s+|already\s+)?(?:chang|edit|touch|modify|modif|alter|writ|implement|do)(?:e|ing|e\s+it|ying|y)?\s+
    (?:
    (?:anything|any\s+(?:files?|code)|the\s+(?:code|files?|project|repo(?:sitory)?)|(?:code|files)\b)<NOTHING_MORE>
    |(?:it|them|that|this)(?:\s+(?:yet|for\s+now|now)\b|(?=\s*(?:$|[.,;!]))))
    |\b(?:no|zero)\s+(?:code\s+|file\s+)?(?:changes|edits)\b(?=\s*(?:yet|please|for\s+now|$|[.,;!]))
    |(?:何も|まだ(?:何も)?|コード(?:は|を|には)?(?:まだ)?|まだ(?:コード|実装)(?:は|を)?|ファイル(?:は|を|には)?(?:まだ)?|実装(?:は|を)?(?:まだ)?)、?(?:変更し|変え|編集し|触ら|いじら|修正し|書き換え|書か|実装し|し|変更せ|修正せ|実装せ|せ)(?:ないで|なくて(?:いい|よい|結構)|ず)
    """,
    needs="don't not without never no zero rather 何も まだ コード ファイル 実装",
    NOTHING_MORE=NOTHING_MORE,
)  # fmt: skip


def forbids_changes(instruction: str) -> bool:
    """Whether it says that nothing is to be changed, so that an answer is all that is wanted."""
    return FORBIDS.search(plain(spoken(instruction))) is not None
