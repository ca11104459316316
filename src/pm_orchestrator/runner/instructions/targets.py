"""What becomes of each file an instruction names.

Only files that the task makes or works on are expected afterwards. One that is to
be deleted or renamed will be gone, one that is only a model or a source may be
left alone, and demanding either would refuse honest work.
"""

from collections.abc import Callable, Iterator

from pm_orchestrator.runner.instructions.file_names import Mention, mentions
from pm_orchestrator.runner.instructions.objects import objects
from pm_orchestrator.runner.instructions.words.file_roles import Role, Target
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern
from pm_orchestrator.runner.instructions.words.wording import (
    is_japanese,
    just_before,
    plain,
    sentences,
)

# Words in front of a file that give it a role; the last one before the name counts.
MAKES = r"create|generate|write|make|(?:add\s+)?(?:an?\s+)?new|touch|scaffold|produce"
REMOVES = r"delet(?:e|ing)|remov(?:e|ing)|erase|unlink|rm|get\s+rid\s+of|drop"
MOVES = r"renam(?:e|ing)|mov(?:e|ing)|mv|replace"
READS = joined(
    r"""
    explain|describe|summari[sz]e|read|review|analy[sz]e|see|look\s+(?:at|into)|check|compare
    |list|show|copy|convert|port|split|translate|extract|what|which|why|how|where|inspect|find
    |like|using|from|based\s+on|according\s+to|following|per|similar\s+to|than|except|unlike
    |(?:described|defined|listed|mentioned|specified|documented|shown|explained)\s+in|as\s+in
    |(?:references?|links?|imports?|mentions?|calls?|usages?|pointers?)\s+(?:to|of|from)|via
    |(?:do\s+not|don't|never|without)\s+(?:\w+\s+)?(?:touch|chang|modify|edit|updat|delet|remov)\w*
    |leav(?:e|ing)|keep(?:ing)?|ignor(?:e|ing)|match(?:es|ing)?|if|when|because|since
    """
)
# These end what is made; what follows is what it is about.
ABOUT = r"of|for|with|about|against|around"
LANDS = r"into|to|as|in|inside|at|on"
CHANGES = joined(
    r"""
    fix|updat(?:e|ing)|chang(?:e|ing)|edit|modify|add|implement|refactor|improve|append|insert
    |correct|extend|rewrite|overwrite|document|put|store|save|test|format|sort|clean|bump|set
    |import|use
    """
)
WORD = pattern(
    r"""
    \b(?:(?P<reads><READS>)|(?P<makes><MAKES>)|(?P<removes><REMOVES>)|(?P<moves><MOVES>)
    |(?P<about><ABOUT>)|(?P<lands><LANDS>)|(?P<changes><CHANGES>)|(?P<then>then))\b(?!['-])
    """,
    READS=READS,
    MAKES=MAKES,
    REMOVES=REMOVES,
    MOVES=MOVES,
    ABOUT=ABOUT,
    LANDS=LANDS,
    CHANGES=CHANGES,
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


def targets(instruction: str, *, answer_only: bool = False) -> tuple[Target, ...]:
    """Every file the instruction names, with its role.

    `answer_only` is for instructions that ask for an answer: files are read there,
    unless the answer is to be put into one.
    """
    found: dict[str, Target] = {}
    for sentence in sentences(plain(instruction)):
        for target in _in_sentence(sentence, answer_only=answer_only):
            earlier = found.get(target.path)
            if earlier is None or earlier.role is Role.SOURCE:
                found[target.path] = target
    return tuple(found.values())


def expected_files(found: tuple[Target, ...]) -> tuple[str, ...]:
    """Files that must be there when the task is done."""
    return tuple(t.path for t in found if t.role in {Role.CREATE, Role.CHANGE})


def _in_sentence(sentence: str, *, answer_only: bool) -> Iterator[Target]:
    named = list(mentions(sentence))
    if is_japanese(sentence):
        from pm_orchestrator.runner.instructions.japanese_roles import japanese_roles

        roles = japanese_roles(sentence, named, answer_only=answer_only)
    elif answer_only:
        roles = [_role_in_answer(just_before(sentence, m.start)) for m in named]
    else:
        roles = list(_english_roles(sentence, named))
    # Only what may be changed is asked about; most files of a question are read.
    changed = objects(sentence, named) if Role.CHANGE in roles else [False] * len(named)
    for mention, role, is_object in zip(named, roles, changed, strict=True):
        empty = may_be_empty(sentence, mention)
        changes = role is Role.CHANGE and is_object
        yield Target(path=mention.name, role=role, may_be_empty=empty, must_change=changes)


def _role_in_answer(before: str) -> Role:
    return Role.CHANGE if ANSWER_LANDS.search(before) else Role.SOURCE


def _english_roles(sentence: str, named: list[Mention]) -> Iterator[Role]:
    role, position = Role.CHANGE, 0
    for mention in named:
        for word in WORD.finditer(sentence, position, mention.start):
            role = _NEXT[word.lastgroup or "then"](role, word.group().lower())
        yield role
        position = mention.end


def _read(role: Role, word: str) -> Role:
    # "Remove the import from a.py" works on a.py.
    return Role.CHANGE if word == "from" and role is Role.REMOVE else Role.SOURCE


def _about(role: Role, word: str) -> Role:
    if role is Role.CREATE:
        return Role.SOURCE
    return Role.CHANGE if word == "with" else role


def _lands(role: Role, word: str) -> Role:
    return role if role is Role.CREATE and word in {"at", "as"} else Role.CHANGE


_NEXT: dict[str, Callable[[Role, str], Role]] = {
    "makes": lambda _role, _word: Role.CREATE,
    "removes": lambda _role, _word: Role.REMOVE,
    "moves": lambda _role, _word: Role.REMOVE,
    "changes": lambda _role, _word: Role.CHANGE,
    "then": lambda _role, _word: Role.CHANGE,
    "reads": _read,
    "about": _about,
    "lands": _lands,
}


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
