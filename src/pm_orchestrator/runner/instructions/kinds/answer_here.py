"""A text that is to be given as the answer: "just answer here, I'll paste it".

Only texts for people: who asks for code or for a file wants it where the project has it.
"""

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.runner.instructions.file_names import mentions, speaks_japanese
from pm_orchestrator.runner.instructions.kinds.forbidding import forbids_changes
from pm_orchestrator.runner.instructions.words import english_words as words
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.wording import clauses, sentences

HERE = pattern(
    r"""
    \b(?:answer|reply|respond|write\s+it|post\s+it|put\s+it|give\s+it(?:\s+to\s+me)?|(?:show|send|tell)\s+(?:it\s+to\s+)?me(?:\s+it)?
    |print\s+it|text|output\s+it|right|only|just)\s+
    (?:(?:directly|right|just|only)\s+)?(?:here\b|in\s+(?:the|this|your)\s+(?:chat|terminal|conversation|answer|reply|response|window))
    |\b(?:plan|list|summary|overview|thoughts|findings)\s+(?:right\s+|down\s+)?here\b
    |\bas\s+(?:your|the)\s+(?:answer|reply|response)\b
    |\b(?:i|we)(?:'ll|\s+will|'m\s+going\s+to|\s+can)\s+(?:then\s+)?
    (?:copy(?:\s+and\s+|[-/ ]+)?paste|paste|copy|post|send|mail|forward|put\s+it)\b
    |ここに(?:直接)?(?:書い|答え|出し|返し|貼っ|回答|返信|出力|表示)|(?:チャット|回答|返信|返事|ターミナル|画面)(?:で|に|として)(?:直接)?(?:書い|答え|出し|出力|返し|示し|ください|お願い|だけ|教え)
    |(?:自分で|こちらで|私が|あとで|後で|そのまま)(?:コピペ|コピー|貼|送|投稿)
    """,
    needs="here chat terminal conversation answer reply response window copy paste post send mail "
    "forward put ここ チャット 回答 返信 返事 ターミナル 画面 コピ 貼 送 投稿",
)
NO_FILE = pattern(
    r"""
    \b(?:no|don't\s+(?:\w+\s+){1,4}(?:an?|any)|without\s+(?:\w+\s+){0,2}(?:an?|any))\s+(?:new\s+)?files?\b(?!\s+(?:name|in|from|changes?)\b)
    |ファイル(?:に|は|には)(?:書か|保存し|残さ|し|作ら)(?:ない|なくて|ず)
    """,
    needs="no don't without ファイル",
)
TEXT = pattern(
    r"""
    (?:write|draft|compose|formulate|phrase|rephrase|reword|translate|summari[sz]e|prepare|produce|create|make|come\s+up\s+with|word)\b[^.]*?
    \b(?:announcements?|e-?mails?|mails?|messages?|posts?|tweets?|letters?|texts?|blurbs?|paragraphs?|sentences?|plans?|overviews?|summar(?:y|ies)|replies|reply|answers?|notes?|statements?|invitations?
    |press\s+releases?|descriptions?|abstracts?|poems?|haikus?|translations?|wordings?|explanations?|pitch|slogans?|headlines?|newsletters?|comments?|apolog(?:y|ies)|speech|status\s+updates?|changelogs?|proposals?)\b
    """
)
# A text of the program, or what makes one.
OF_THE_PROGRAM = pattern(
    r"\b(?:functions?|class(?:es)?|methods?|tests?|endpoints?|scripts?|templates?|code|commit\s+(?:it|this|that|them|the|all|and)|log|error|modules?|generators?|commands?|handlers?|docstrings?)\b"
)
JAPANESE_TEXT = pattern(
    r"""
    (?:告知|お知らせ|案内|紹介|説明|挨拶|謝罪|依頼|返信|投稿|募集|要約|計画)(?:文|メール|メッセージ)?|メール|文面|文章|原稿|ツイート|リリースノート|メッセージ|翻訳|訳
    """
)
JAPANESE_OF_THE_PROGRAM = pattern(
    r"関数|クラス|メソッド|テスト|コード|スクリプト|エラー|ログ|コミット|機能|テンプレート|実装|バグ"
)
PART = LatePattern(r"[、,。\n]")


def wants_text_here(text: str) -> bool:
    """Whether all that a plain text asks for is a text, given as the answer."""
    if not _is_for_here(text) or next(mentions(text), None) is not None:
        return False
    said = sentences(text)
    if not any(map(_writes, said)):
        return False
    # Where nothing may be changed, code that is spoken of is only to be read.
    return forbids_changes(text) or not any(map(_is_of_the_program, said))


def _is_for_here(text: str) -> bool:
    return HERE.search(text) is not None or NO_FILE.search(text) is not None


def _writes(sentence: str) -> bool:
    if speaks_japanese(sentence):
        return JAPANESE_TEXT.search(sentence) is not None
    return any(TEXT.match(clause) for clause in clauses(sentence))


def _is_of_the_program(sentence: str) -> bool:
    """Whether any part of it asks for something else than such a text."""
    if not speaks_japanese(sentence):
        other = any(_changes(clause) and not TEXT.match(clause) for clause in clauses(sentence))
        return other or OF_THE_PROGRAM.search(sentence) is not None
    # The other language's rules are left alone until they are needed.
    from pm_orchestrator.runner.instructions.words.japanese_types import japanese_types

    parts = [part for part in PART.split(sentence) if not JAPANESE_TEXT.search(part)]
    here = [part for part in parts if not _is_for_here(part)]
    asked = (kind for part in here for kind in japanese_types(part))
    if any(kind not in {TaskType.READ_INFO, TaskType.REPORT} for kind in asked):
        return True
    return JAPANESE_OF_THE_PROGRAM.search(sentence) is not None


def _changes(clause: str) -> bool:
    rules = (words.EDITS.match, words.SMALL.match, words.BUILDS.match, words.BROKEN.search)
    return any(rule(clause) is not None for rule in rules)
