"""What a person says themselves, apart from what they only pasted or quoted.

A log, a stack trace, a block of code or a quoted message may name any file and hold any
verb; none of it is asked for. Danger is looked for in the whole text all the same.
"""

import re

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.verbs import VERBS

FENCED = LatePattern(
    r"(?ms)^[ \t]*(?P<fence>```+|~~~+).*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)", needs="``` ~~~"
)
INLINE_FENCE = LatePattern(r"(?s)```.*?(?:```|\Z)", needs="```")
ADDRESS = LatePattern(r"\b(?:https?|ftp|file|ssh|git)://\S+", re.IGNORECASE, needs="://")
# A line that only a program writes.
PRINTED = LatePattern(
    r"""(?x)^\s*(?:
    >\s | \$\s | >>>\s | \.\.\.\s | \#\s*\$ | E\s{2,}\S | [-=_*~]{4,}
    | Traceback\b | File\s"[^"]+",\sline\s\d+ | at\s\S.*[(:]\S*:\d+ | Caused\sby:
    | (?:[\w.]+\.)?\w*(?:Error|Exception|Warning)\b(?::|$) | panic:
    | (?:FAILED|PASSED|ERROR|SKIPPED|FAIL|ok|not\sok)\s+\S+(?:::|\.\w+:|/)
    | (?:FAIL|ERROR):\s\S+\s\( | (?:not\s)?ok\s\d+\s-\s
    | \[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL)\]?[\s:]\s*\S
    | \[?\d{4}-\d\d-\d\d[T\s]\d\d:\d\d | \[?\d\d:\d\d:\d\d | npm\s(?:ERR|WARN|error)
    | make(?:\[\d+\])?:\s\*\*\* | error(?:\[\w+\])?:\s | warning:\s | \S+:\d+(?::\d+)?:\s
    | (?:\+\+\+|---)\s[ab]?/ | @@\s | diff\s--git | [0-9]+\s\|\s
    )"""
)
INDENTED = LatePattern(r"^(?: {2,}|\t)\S")
# What follows such a heading was seen, or is done, by somebody else.
HEADING = pattern(
    r"""
    ^[#*\s]*(?:(?:steps|how)\s+to\s+reproduce|to\s+reproduce|repro(?:duction)?(?:\s+steps)?
    |(?:error|log|console|test|actual|program|command)?\s*(?:output|logs?|messages?|trace)
    |stack\s*trace|backtrace|traceback|actual(?:\s+(?:result|behaviou?r))?
    |expected(?:\s+(?:result|behaviou?r))?|errors?|example|examples|input|context
    |再現手順|再現方法|ログ|エラー(?:内容|メッセージ|ログ)?|出力|実際の(?:結果|動作)|期待(?:する|される)?(?:結果|動作)
    |例|入力例|スタックトレース)[*\s]*[::]
    """,
    needs=": :",
)
PROGRAM = pattern(
    r"""
    (?:\$|%|>|sudo|python[\d.]*|pip[\d.]*|node|npm|npx|yarn|pnpm|bun|deno|sh|bash|zsh|cat|ls|rm|cp|mv|ln
    |mkdir|touch|echo|git|make|cargo|go|ruby|perl|php|java|docker|curl|grep|sed|awk|pytest|jest
    |chmod|\./\S+|(?:open|import|from|print|require|include|load|read|write)\b)[\s(]
    """
)
# Words that stand in messages, and hardly ever in a name.
SENTENCE = pattern(
    r"\b(?:not|the|is|are|was|could|cannot|can't|couldn't|of|no|failed|unable|missing|please|found|while|error)\s"
)
QUOTED = LatePattern(
    r"""(?s)(?<![A-Za-z0-9_\\])(?:"(?P<a>[^"\n]{1,300})"|“(?P<b>[^”]{1,300})”"""
    r"""|`(?P<c>[^`\n]{1,300})`|'(?P<f>[^'\n]{1,300})'(?![A-Za-z0-9_]))"""
    r"""|「(?P<d>[^」]{1,300})」|『(?P<e>[^』]{1,300})』""",
    needs="\" “ ` ' 「 『",
)
NAME_WITH_SPACES = LatePattern(r"[^\s:;!?,。、][^:;!?\n\"'`*|<>。、]{0,100}")
CALLED = pattern(r"(?:called|named|director(?:y|ies)|folders?|files?|branch|tag)\s+$")
PLAIN_WORDS = LatePattern(r"[\w-]+(?: [\w-]+){0,3}")
SUFFIX = LatePattern(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
# "Add an entry to the changelog: …" says what is to be written out, and nothing to be done.
WRITTEN_OUT = pattern(
    r"""
    (?P<ahead>\b(?:add|append|prepend|insert|put|include|write|leave|update|extend|commit|amend|reword)\b
    (?:[^:.!?\n]|[.](?=\S)){0,80}?\b(?:entry|line|bullet|notes?|item|sentence|paragraph|comment|heading|title|message|remark|text)\b
    (?:[^:.!?\n]|[.](?=\S)){0,40}:[ ]+)(?P<text>[^\n]+?)(?=[.!?][ ]+[A-Z]|\n|$)
    |(?P<before>(?:行|項目|文|文言|コメント|注記|メモ|見出し|メッセージ|エントリ)
    [^。、:\n]{0,16}(?:追加|追記|記載|書い|書く|入れ|コミット)[^。:：\n]{0,10}[:：][ ]*)
    (?P<words>[^\n]+)
    """,
    needs=": ：",
)
PLACED = pattern(r"\b(?:to|in|into|with|message|title)\b")
ONLY_NAMES = LatePattern(r"(?:[`'\"@]*[\w./@-]+[`'\"]*(?:,? and |, ?|、|と|[ .]*$))+")


def spoken(text: str) -> str:
    """`text` without what was pasted into it; the whole of it where nothing else is there."""
    return WRITTEN_OUT.sub(_kept_names, QUOTED.sub(_kept_quote, unpasted(text)))


def _kept_names(found: "re.Match[str]") -> str:
    """What follows the colon, where it says which files, or what to do: nothing said where to."""
    ahead, text = found["ahead"] or found["before"], found["text"] or found["words"]
    orders = text.split(maxsplit=1)[0].lower() in VERBS and PLACED.search(ahead) is None
    return f"{ahead}{text if orders or ONLY_NAMES.fullmatch(text) else '…'}"


def unpasted(text: str) -> str:
    """`text` without blocks, lines and addresses from elsewhere; what it quotes is still in it."""
    rest = FENCED.sub("\n", text)
    rest = INLINE_FENCE.sub(" ", rest)
    rest = "\n".join(_own_lines(rest.split("\n")))
    return ADDRESS.sub(" ", rest)


def quoted_text(found: "re.Match[str]") -> str:
    """What stands between the marks."""
    return next(text for text in found.groups() if text is not None)


def is_quoted_name(text: str) -> bool:
    """Whether a quoted text is a name as a whole, and no sentence, command or message."""
    if text != text.strip() or NAME_WITH_SPACES.fullmatch(text) is None or "://" in text:
        return False
    if " " not in text:
        return True
    return (
        SUFFIX.search(text) is not None
        and len(text.split()) <= 6
        and len(re.findall(r"\w\.\w", text)) == 1
        and " -" not in text
        and PROGRAM.match(text) is None
        and SENTENCE.search(text) is None
        and text.split()[0].lower() not in VERBS
    )


def _kept_quote(found: "re.Match[str]") -> str:
    text = quoted_text(found)
    named = CALLED.search(found.string[max(0, found.start() - 30) : found.start()]) is not None
    if is_quoted_name(text) or (named and PLAIN_WORDS.fullmatch(text)):
        return found.group()
    whole = found.group() == found.string.strip()
    return text if whole else f"{found.group()[0]}…{found.group()[-1]}"


def _own_lines(lines: list[str]) -> list[str]:
    """The lines that no program wrote and that stand under no heading of seen things."""
    own: list[str] = []
    heading, printed = False, False
    for line in lines:
        if not line.strip():
            heading = printed = False
        elif HEADING.match(line):
            heading = True
            continue
        if heading:
            continue
        if PRINTED.match(line) or (printed and INDENTED.match(line)):
            printed = True
            continue
        printed = False
        own.append(line)
    return own
