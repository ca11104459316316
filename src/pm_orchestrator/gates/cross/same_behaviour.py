"""Does a changed file do anything else than before?

Comments, documentation and layout are for people. A task about what code does is not done
by a change of nothing else, whatever the comment says; and a remark that has a linter look
away is no repair of what the linter found.
"""

import ast
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.check_files import is_product_code, is_setting, is_test
from pm_orchestrator.gates.detect.documents import is_document
from pm_orchestrator.gates.weaker.dilution import Trees

# Who asks for one of these asks for no other behaviour.
ABOUT_TEXT = LatePattern(
    r"\b(?:comment\w*|docstrings?|docs?|document\w*|typos?|spelling|grammar|wording|(?:re)?format\w*"
    r"|layout|style|styling|lint\w*|ruff|black|prettier|eslint|flake8|isort|whitespace|indent\w*"
    r"|(?:blank|empty|long|trailing)\s+lines?|line\s+(?:length|ending|break)s?|newlines?|licen[sc]e"
    r"|copyright|(?:file|license)\s+headers?|todos?|fixme|readab\w*|tidy|explain\w*|annotat\w*|noqa"
    r"|suppress\w*|pragma|encoding|bom|crlf)\b"
    r"|コメント|ドキュメント|文書|説明|誤字|脱字|表記|整形|フォーマット|書式|空行|空白|改行|字下げ|インデント"
    r"|リント|著作権|ライセンス|見やす|読みやす|整理|注釈|翻訳",
    re.IGNORECASE | re.ASCII,
)
# A remark by which a tool is to overlook what it finds there.
OVERLOOKS = LatePattern(
    r"(?:#|//|/\*|--|<!--)[ \t]*(?:(?:ruff|flake8|mypy|pylint|pyright|yapf|isort|fmt|type|pragma"
    r"|coverage|rubocop)\s*:|(?:noqa|nosec|nolint)\b|(?:\w+lint|shellcheck)[- ]disable"
    r"|(?:istanbul|c8|v8) ignore|prettier-ignore|@ts-(?:ignore|expect-error|nocheck))[^\n]*"
    r"|#!?\[allow\([^\n]*"
)
ASKS_TO_OVERLOOK = LatePattern(
    r"\b(?:noqa|nosec|nolint|pragma|suppress\w*|silenc\w*|ignor\w*|disabl\w*|overlook\w*|exclud\w*"
    r"|exempt\w*|hid(?:e|ing)|skip\w*|allow\w*|mut(?:e|ing)|comments?|annotat\w*|turn\w*\s+off|opt\w*\s+out)\b"
    r"|@ts-|無視|抑制|抑止|無効|除外|対象外|黙らせ|許可|許容|外し|コメント|注釈",
    re.IGNORECASE | re.ASCII,
)
# What a tool prints that asks for another layout.
TOLD_BY_A_LINTER = LatePattern(
    r"\b(?:ruff|black|prettier|eslint|flake8|isort|pylint|gofmt|rustfmt|clippy|shellcheck)\b"
    r"|\b[CDEFNWIQ]\d{3,4}\b|\b(?:line\s+too\s+long|trailing\s+whitespace|would\s+reformat)\b",
    re.ASCII,
)
STRINGS = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
SLASHES = LatePattern(rf"(?P<kept>{STRINGS})|//[^\n]*|/\*.*?\*/", re.DOTALL)
HASHES = LatePattern(rf"(?P<kept>{STRINGS}|\$\{{#|\$#|\\#)|(?:(?<=\s)|^)#[^\n]*", re.MULTILINE)
# A remark of a language, in quotes or on a line of its own.
REMARK = LatePattern(
    r"(?P<quote>[`\"'])(?P<remark>\s*(?://|#|--|/\*|<!--|;|%)\s?\S[^`\"'\n]{3,})(?P=quote)"
    r"|[「『](?P<other>\s*(?://|#|--|/\*|<!--|;|%)\s?\S[^」』\n]{3,})[」』]"
)
HASHED = frozenset({".sh", ".bash", ".zsh", ".rb", ".pl", ".awk", ".sed", ".ex", ".exs"})


def only_words_changed(
    trees: Trees, changes: Sequence[FileChange], instruction: str, own_words: str
) -> tuple[str, ...]:
    """Product files whose change does nothing, where nothing else was done and more was asked.

    `own_words` are those of the instruction that were not pasted into it: a program's message
    about a format asks for no layout, unless that program is there to ask for one.
    """
    if changes and all(_only_overlooks(trees, change) for change in changes):
        asked = ASKS_TO_OVERLOOK.search(own_words)
        return () if asked else tuple(change.path for change in changes)
    if ABOUT_TEXT.search(own_words) or TOLD_BY_A_LINTER.search(instruction):
        return ()
    if _puts_in_as_said(trees, changes, instruction):
        return ()
    touched = [c for c in changes if not (is_document(c.path) or is_test(c.path))]
    files = [c for c in touched if not is_setting(c.path)]
    if not files or len(files) != len(touched):
        return ()
    return tuple(c.path for c in files) if all(_same(trees, c) for c in files) else ()


def _only_overlooks(trees: Trees, change: FileChange) -> bool:
    """Whether nothing was done but to have a tool look away."""
    before, after = trees.before.get(change.path), trees.after.get(change.path)
    if change.kind != "modified" or not before or not after:
        return False
    more = len(OVERLOOKS.findall(after)) > len(OVERLOOKS.findall(before))
    return more and OVERLOOKS.sub("", before).split() == OVERLOOKS.sub("", after).split()


def _puts_in_as_said(trees: Trees, changes: Sequence[FileChange], instruction: str) -> bool:
    """Whether the very remark was added that the instruction quotes."""
    found = REMARK.finditer(instruction)
    said = {(each["remark"] or each["other"]).strip() for each in found}
    for change in changes:
        before, after = trees.before.get(change.path) or "", trees.after.get(change.path) or ""
        if any(remark in after and remark not in before for remark in said):
            return True
    return False


def _same(trees: Trees, change: FileChange) -> bool:
    if change.kind != "modified" or not is_product_code(change.path):
        return False
    before, after = trees.before.get(change.path), trees.after.get(change.path)
    if before is None or after is None or before == after:
        # What changed is not in the text: a mode.
        return False
    return does_the_same(change.path, before, after)


def does_the_same(path: str, before: str, after: str) -> bool:
    """Whether two versions of a file differ in nothing that is run."""
    suffix = PurePosixPath(path).suffix
    if suffix in {".py", ".pyi"}:
        return _python(before) is not None and _python(before) == _python(after)
    pattern = HASHES if suffix in HASHED else SLASHES
    return _without_comments(pattern, before) == _without_comments(pattern, after)


def _python(text: str) -> str | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body[0] = ast.Pass()
            elif not isinstance(first, ast.Pass):
                # A documentation that came is none that was there.
                node.body.insert(0, ast.Pass())
    return ast.dump(tree)


def _without_comments(pattern: LatePattern, text: str) -> list[str]:
    """The words of a text, its strings whole."""
    bare = pattern.sub(lambda found: found["kept"] or " ", text)
    return bare.split()
