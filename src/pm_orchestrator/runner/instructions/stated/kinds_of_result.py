"""Which kind of result the words ask for: code, a translation, a text that is rewritten."""

from pm_orchestrator.runner.instructions.effects.japanese_effects import NOT_ASKED
from pm_orchestrator.runner.instructions.effects.japanese_history import ASKS, SURU
from pm_orchestrator.runner.instructions.words.pasted import spoken
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern
from pm_orchestrator.runner.instructions.words.wording import (
    clauses,
    is_japanese,
    plain,
    sentences,
)

# A move that is more than a move: the text is to become another one.
REWRITES = pattern(
    r"""
    \b(?:re-?writ\w*|re-?work\w*|re-?do|shorten\w*|shorter|split\w*|convert\w*|translat\w*|summari[sz]\w*
    |condens\w*|simplif\w*|merg\w*|combin\w*|port(?:ed|ing)?|refactor\w*|restructur\w*|extract\w*|trim\w*
    |empty|clear(?:ed)?|scratch|cut|reduc\w*|keep\s+only|turn\w*|migrat\w*|new\s+(?:content|text))\b
    |書き直|書き換|書きかえ|作り直|短く|短縮|分割|分け|変換|翻訳|訳し|要約|統合|簡潔|簡略|移行|空に|減ら|リファクタ
    |一から|刷新|改稿|抜き出|切り出|抽出
    """
)
TRANSLATES = pattern(
    r"""
    \btranslat(?:e|es|ing|ion|ions)\b|\b(?:japanese|english|german|french|spanish|chinese|korean|italian|portuguese)\s+version\b
    |翻訳|(?:日本語|英語|中国語|韓国語|ドイツ語|フランス語|スペイン語)(?:版|に訳)|和訳|英訳
    """
)
COPIES = pattern(
    r"\b(?:cop(?:y|ies)|duplicate|backup|back\s+up|placeholder|stub)\b|コピー|複製|控え|バックアップ|雛形|ひな形"
)
# Who names one of these may want nothing else.
DOCUMENT = pattern(
    r"""
    \b(?:docs?|document\w*|readme|changelog|guide|plan\w*|propos\w*|design\w*|draft\w*|notes?|spec|specification
    |diagram|outline|tutorial|manual|wiki|page|pages|adr|rfc|report|prompt|skill|description|describ\w*|explain\w*
    |comment\w*|markdown|text|translat\w*|template|glossary|checklist)\b
    |文書|ドキュメント|計画|案|設計|仕様|資料|手順|説明|ガイド|議事録|メモ|報告|レポート|まとめ|下書き|マニュアル|プロンプト|翻訳|テンプレート
    |コメント|README|一覧表
    """
)
CODE_ENDS = joined(
    r"(?=\s*(?:$|[.,;:!?()`'\"]|[\w.]+\(|\w+_\w|(?:that|which|to|for|in|on|of|with|called|named|and|so|like|as|at|from)\b))"
)
CODE_ASKED = pattern(
    r"""
    (?:implement\s+(?!it\b|this\b|that\b|them\b)\S|(?:add|create|write|introduce|build|fix|extend)\s+(?:(?!(?:to|of|for|about|in|on)\b)[^\s.,;:]+\s+){0,5}?
    (?:methods?|functions?|class(?:es)?|endpoints?|subcommands?|command-line\s+(?:options?|flags?)
    |`?--?[a-z][\w-]*`?\s+(?:options?|flags?|switch|arguments?|parameters?))<ENDS>
    |(?:add|create|introduce|support)\s+(?:(?!(?:to|of|for|about|in|on)\b)[^\s.,;:]+\s+){0,3}?
    (?:options?|flags?|switch|arguments?|parameters?)\s+(?:called\s+|named\s+)?`?--[a-z])
    """,
    ENDS=CODE_ENDS,
)
CODE_ASKED_JA = pattern(
    r"""
    (?:メソッド|関数|クラス|エンドポイント|サブコマンド|機能|--[A-Za-z][\w-]*[`」]?\s*(?:オプション|フラグ|引数))\s*[`「]?[\w.]*[`」]?\s*を[^、。を]{0,10}(?:(?:実装|追加|作成|修正)<SURU>|(?:作っ|書い|直し|足し)<ASKS>)
    |を[^、。を]{0,10}実装<SURU>
    """,
    SURU=SURU, ASKS=ASKS,
)  # fmt: skip


def asks_to_rewrite(instruction: str) -> bool:
    """Whether a file that is moved need not hold what it held."""
    return REWRITES.search(plain(spoken(instruction))) is not None


def asks_for_translation(instruction: str) -> bool:
    """Whether a text is wanted in another language, and nothing as it is."""
    text = plain(spoken(instruction))
    return TRANSLATES.search(text) is not None and COPIES.search(text) is None


def asks_for_code(instruction: str) -> bool:
    """Whether a program has to do something new, and nothing is said of a document."""
    text = plain(spoken(instruction))
    if DOCUMENT.search(text):
        return False
    return any(map(_asks_for_code, sentences(text)))


def _asks_for_code(sentence: str) -> bool:
    if is_japanese(sentence):
        return CODE_ASKED_JA.search(sentence) is not None and not NOT_ASKED.search(sentence)
    return any(CODE_ASKED.match(clause) for clause in clauses(sentence))
