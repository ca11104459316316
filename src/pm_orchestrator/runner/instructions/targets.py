"""What becomes of each file an instruction names.

Only files that the task makes or works on are expected afterwards. One that is to
be deleted or renamed will be gone, one that is only a model or a source may be
left alone, and demanding either would refuse honest work.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from pm_orchestrator.runner.instructions.file_names import Mention, all_mentions, unnamed
from pm_orchestrator.runner.instructions.words.file_roles import NOTHING, Reading, Role, Target
from pm_orchestrator.runner.instructions.words.pasted import spoken
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.wording import (
    is_japanese,
    just_before,
    plain,
    sentences,
)

# An answer that is to be put into a file makes that file.
ANSWER_LANDS = pattern(
    r"""
    (?:^|\band\s+|,\s*|\bthen\s+)(?:please\s+)?(?:(?:write|save|put|store|export|output|record
    |summari[sz]e|generate|create|produce|document|dump)\b.{0,160}?\b(?:to|into|as)
    |(?:write|save|put|store|record|document)\b.{0,160}?\bin|(?:create|generate|write|produce))
    \s+(?:the\s+|an?\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?['"`]?$
    """,
    needs="write save put store export record summari generate create produce document dump",
)


# "README.md is outdated. Update it."
UPDATE_IT = pattern(
    r"^(?:please\s+|so\s+)?(?:update|rewrite|revise|edit|extend|bring)\s+(?:it|this|that)\b(?!.*\bif\b)",
    needs="update rewrite revise edit extend bring",
)
REF_AHEAD = pattern(
    r"(?:\b(?:branch(?:es)?|tags?)\s+(?:called\s+|named\s+)?|ブランチ|タグ)['\"`「『]?\s*$"
)
REF_BEHIND = pattern(r"['\"`」』]?\s*(?:branch\b|tag\b|(?:という)?(?:名前の)?(?:ブランチ|タグ))")
WHOLE = pattern(
    r"""
    [`'"」』]?\s*(?:$|[.,;:!?()]|(?:という)?(?:ファイル)?[をにへと、。]
    |(?:file|with|to|in|for|and|that|which|so|containing|from|at|as|by|under|inside|on|holding|listing|or|then
    |based|like|using|where|if|when|but|about|please|too|also|instead|first|again|now)\b)
    """
)

# A link that is to lead elsewhere is there already.
RELINKED = pattern(
    r"""
    \b(?:switch|re-?point|point|change|update|redirect|re-?direct|set)\s+(?:the\s+)?(?:\S+\s+)?(?:sym-?\s?link|symbolic\s+link|soft\s?link)\b[^.]*\b(?:to|at)\b
    |(?:シンボリックリンク|シムリンク|symlink)[^。]{0,40}?(?:張り替え|貼り替え|張りかえ|切り替え|変え|変更し|向け|付け替え)
    """,
    needs="link リンク",
)
# What a program writes when it runs may well be spoken of, and is not delivered.
PRODUCED = pattern(r"\.(?:csv|tsv|log|txt|json|jsonl|html|svg|xml|lock)$")


def targets(instruction: str, *, answer_only: bool = False) -> tuple[Target, ...]:
    """Every file the instruction names, with its role; nothing that was only pasted into it.

    `answer_only` is for instructions that ask for an answer: files are read there,
    unless the answer is to be put into one.
    """
    found: dict[str, Target] = {}
    subject: Target | None = None
    for sentence in sentences(plain(spoken(instruction))):
        if subject is not None and UPDATE_IT.search(sentence):
            found[subject.path] = replace(subject, must_change=True)
        subject = None
        relinked = RELINKED.search(sentence) is not None and not answer_only
        for target in _in_sentence(sentence, answer_only=answer_only):
            if relinked and target.role is Role.CHANGE:
                # "F points at v1, switch the link": the first name is the link's own.
                target, relinked = replace(target, must_change=True), False
            earlier = found.get(target.path)
            if earlier is None or earlier.role is Role.SOURCE:
                found[target.path] = target
            elif earlier.role is Role.CHANGE and (target.must_change or target.must_be):
                found[target.path] = replace(
                    earlier,
                    must_change=earlier.must_change or target.must_change,
                    must_be=earlier.must_be or target.must_be,
                )
            subject = target if target.role is Role.CHANGE and not target.must_change else None
    return tuple(_gone_by_pronoun(instruction, found).values())


def _gone_by_pronoun(instruction: str, found: dict[str, Target]) -> dict[str, Target]:
    """`F repeats G; delete that file`: the file it points back to has to go."""
    pointed = POINTS_BACK.search(instruction)
    removed = any(target.role is Role.REMOVE for target in found.values())
    if pointed is None or removed:
        return found
    before = [path for path in found if path in instruction[: pointed.start()]]
    if len(before) != 1:
        return found
    (path,) = before
    if pointed.group().endswith("it") and not _says_what_it_is(instruction, path):
        return found
    return {**found, path: replace(found[path], role=Role.REMOVE, must_change=False)}


def _says_what_it_is(instruction: str, path: str) -> bool:
    """`F is not needed any more, delete it`: nothing but the file is spoken of."""
    rest = instruction.lstrip("@`'\" ").removeprefix(path).lstrip("`'\"")
    return COPULA.match(rest) is not None


def expected_files(found: tuple[Target, ...]) -> tuple[str, ...]:
    """Files that must be there when the task is done."""
    return tuple(t.path for t in found if t.role in {Role.CREATE, Role.CHANGE} and is_sure(t))


def is_sure(target: Target) -> bool:
    """Whether it is a file without a look at the project."""
    return target.kind == "plain" or (target.kind == "loose" and target.role is Role.CREATE)


def _in_sentence(sentence: str, *, answer_only: bool) -> Iterator[Target]:
    named = all_mentions(sentence)
    if not named:
        return
    for mention, reading in zip(named, _readings(sentence, named, answer_only), strict=True):
        made = mention.kind == "loose" and reading.role is Role.CREATE
        if made and (not _is_whole(sentence, mention) or _is_ref(sentence, mention)):
            continue
        reading = _as_let_go(sentence, mention) or reading
        yield Target(
            path=_beside(sentence, named, mention),
            role=reading.role,
            may_be_empty=may_be_empty(sentence, mention),
            must_change=reading.role is Role.CHANGE and reading.must_change,
            must_be=reading.must_be and PRODUCED.search(mention.name) is None,
            kind=mention.kind,
        )


def _readings(sentence: str, named: list[Mention], answer_only: bool) -> list[Reading]:
    if is_japanese(unnamed(sentence, named)):
        from pm_orchestrator.runner.instructions.japanese_roles import japanese_readings

        return japanese_readings(sentence, named, answer_only=answer_only)
    if answer_only:
        return [_in_answer(just_before(sentence, m.start)) for m in named]
    from pm_orchestrator.runner.instructions.english_roles import english_roles
    from pm_orchestrator.runner.instructions.objects import settle_lists

    return settle_lists(sentence, named, english_roles(sentence, named))


def _is_whole(sentence: str, mention: Mention) -> bool:
    """Whether a name of no known form stands for itself, and not before a noun."""
    return WHOLE.match(sentence, mention.end) is not None


def _is_ref(sentence: str, mention: Mention) -> bool:
    """Whether it is a branch or a tag that bears a name, which may well hold a slash."""
    ahead = just_before(sentence, mention.start)
    return (
        REF_AHEAD.search(ahead) is not None or REF_BEHIND.match(sentence, mention.end) is not None
    )


def _in_answer(before: str) -> Reading:
    return Reading(Role.CHANGE, must_change=True) if ANSWER_LANDS.search(before) else NOTHING


def _as_let_go(sentence: str, mention: Mention) -> Reading | None:
    """What `F can go` and `F has to go` want; None where nothing is said of that kind."""
    ahead = just_before(sentence, mention.start)
    if MAY_GO_AFTER.match(sentence, mention.end) or MAY_GO_BEFORE.search(ahead):
        return NOTHING
    return Reading(Role.REMOVE) if MUST_GO.match(sentence, mention.end) else None


def _beside(sentence: str, named: list[Mention], mention: Mention) -> str:
    """The path of a file that is to lie beside the one named before it."""
    if "/" in mention.name or mention.kind == "family":
        return mention.name
    folders = [
        other.name.rpartition("/")[0]
        for other in named
        if other.end <= mention.start and "/" in other.name
    ]
    between = sentence[: mention.start]
    if folders and (BESIDE_IT.match(sentence, mention.end) or BESIDE_BEFORE.search(between)):
        return f"{folders[-1]}/{mention.name}"
    return mention.name


MAY_GO_AFTER = pattern(
    r"""
    [`'"]?\s+(?:can|may|could|might)\s+(?:(?:also|then|safely|probably|even)\s+)*(?:go\b|be\s+(?:removed|deleted|dropped|thrown))
    |[`'"」]?\s*(?:は|も|を)?[^。]{0,20}(?:なら|なければ|たら|に応じて)[^。]{0,6}(?:消し|削除し|捨て|なくし)て(?:も)?(?:いい|良い|よい|構|かま|大丈夫|OK|問題)
    """,
    needs="can may could might なら なければ たら 応じて",
)
MAY_GO_BEFORE = pattern(
    r"""
    \b(?:feel\s+free\s+to|you\s+may)\s+(?:also\s+)?(?:delete|remove|drop)\s+(?:the\s+)?[`'"]?$
    """,
    needs="feel may",
)
MUST_GO = pattern(
    r"""
    [`'"]?\s+(?:must|has\s+to|have\s+to|should|needs\s+to|need\s+to)\s+(?:go(?=\s*(?:$|[.,;!]|now\b|away\b))
    |be\s+(?:removed|deleted|dropped)\b)
    """,
    needs="must has have should need",
)
BESIDE_IT = pattern(
    r"[`'\"]?\s+(?:right\s+)?(?:next\s+to|beside|alongside)\s+(?:it|that|this|the\s+(?:first|other))\b"
    r"|[`'\"]?\s+in\s+the\s+same\s+(?:folder|directory|place)\b"
)
BESIDE_BEFORE = pattern(
    r"(?:その|すぐ)?(?:隣|横|となり)(?:に|へ)[^。]{0,10}$|同じ(?:場所|フォルダ|ディレクトリ|階層)(?:に|へ)[^。]{0,10}$"
    r"|\b(?:next\s+to|beside|alongside)\s+(?:it|that)\b,?\s+(?:an?\s+|the\s+)?[`'\"]?$"
)
COPULA = pattern(r"\s+(?:is|isn't|was|seems|looks)\s+(?:[\w']+\s+){0,4}[\w']+\s*(?=[,;.])")
POINTS_BACK = pattern(
    r"""
    \b(?:delete|remove|erase)\s+(?:that|this|the)\s+(?:file|module|script|document)\b(?!\s+\w+\.)
    |(?<=[,;.]\s)(?:so\s+|please\s+)*(?:delete|remove|erase|drop)\s+it(?=\s*(?:$|[.,;!]|please\b|and\b))
    """,
    needs="delete remove erase drop",
)
BEFORE = pattern(
    r"""
    (?<!non-)(?<!not )(?<!not an )(?<!not be )\b(?:empty|blank)\s+(?:[\w-]+\s+){0,5}?['"`]?$
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
