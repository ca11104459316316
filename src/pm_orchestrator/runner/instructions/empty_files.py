"""Files that the instruction itself asks to be empty."""

from pm_orchestrator.runner.instructions.file_names import Mention
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.wording import just_before

BEFORE = pattern(
    r"""
    (?<!non-)(?<!not )(?<!not an )(?<!not be )\b(?:empty|blank)\s+(?:[\w-]+\s+){0,3}?['"`]?$
    |\b(?:empty|blank)\s+(?:\w+\s+)?files\b[^;]{0,200}$|(?<!not )\btouch\s+['"`]?$
    |空の(?:ファイル)?[「\s]*$
    """,
    needs="empty blank touch 空の",
)
AFTER = pattern(
    r"""
    ['"`」]?\s*(?:\(empty\)|as\s+an\s+empty\s+file|empty\b|(?:という)?(?:名前の)?空のファイル
    |を空(?:で|のまま|の状態)|\(空\))
    """,
    needs="empty 空",
)


def may_be_empty(sentence: str, mention: Mention) -> bool:
    """Whether an empty file is what was asked for."""
    before = BEFORE.search(just_before(sentence, mention.start))
    return before is not None or AFTER.match(sentence, mention.end) is not None
