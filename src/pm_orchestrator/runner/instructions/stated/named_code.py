"""Names of code that an instruction asks to be added: a method, a function, a class, a flag.

Only what is written as code (in backticks, as a call, with dashes) and is the object of the
adding counts. What it is added to, an example, or one of two to choose from is no such name.
"""

import re
from collections.abc import Iterator

from pm_orchestrator.runner.instructions.words.pasted import unpasted
from pm_orchestrator.runner.instructions.words.patterns import joined, pattern
from pm_orchestrator.runner.instructions.words.wording import is_japanese, plain, sentences

PATH = r"(?:[A-Za-z_$][\w$]*(?:\.|::|#))*"
CALLED = joined(r"<PATH>[A-Za-z_$][\w$]*\([^()\n]*\)", PATH=PATH)
MARKED = joined(r"`(?:<PATH>[A-Za-z_$][\w$]*(?:\([^()`\n]*\))?|--[a-z][\w-]*)`", PATH=PATH)
CODE = joined(r"(?:<MARKED>|<CALLED>|--[a-z][\w-]+)(?![\w/.]*[\w/])", MARKED=MARKED, CALLED=CALLED)
NOUN = joined(
    r"""
    (?:methods?|functions?|class(?:es)?|flags?|options?|switch(?:es)?|(?:sub)?commands?|propert(?:y|ies)|getters?
    |helpers?|decorators?|exceptions?|fixtures?|parameters?|arguments?|generators?|mixins?|hooks?|constants?)
    """
)
# Words between the verb and its object, none of which make another object of it.
GAP = joined(
    r"""
    (?:(?!(?:to|of|for|in|into|from|on|that|which|with|about|tests?|docs?|docstrings?|comments?|calls?|callers?
    |links?|notes?|sections?|examples?|hints?|to-?do|where\w*|when\w*|before|after|around|than|until|inside|without|like|e\.g|maybe|perhaps|instead|support|using|as)\b)[\w/'-]+\s+){0,5}?
    """
)
VERB = r"(?:add|implement|create|write|introduce|provide|expose|define|give\s+\S+)"
HEAD = r"(?:^|[.;:,]\s+|\b(?:and|then|please|also|to|you|should|must|-)\s+)"
ADDED = pattern(
    r"""
    <HEAD><VERB>\s+(?:(?!`|--)<GAP>)?(?:<NOUN>\s+(?:(?:called|named|for)\s+)?)?(?P<name><CODE>)(?P<rest>(?:,?\s+(?:and|plus)\s+<CODE>)*)
    (?!\s*(?:or|in\s+the\s+(?:docs?|readme))\b)(?!\s+(?:tests?|docs?|docstrings?|examples?|calls?|comments?)\b)
    """,
    HEAD=HEAD, VERB=VERB, GAP=GAP, NOUN=NOUN, CODE=CODE,
)  # fmt: skip
FILE_WITH = pattern(
    r"<HEAD><VERB>\s+(?:\w+\s+){0,2}?[\w./-]+\.\w+\s+with\s+(?:an?\s+|the\s+)?(?:<NOUN>\s+)?(?P<name><CALLED>)"
    r"(?P<rest>(?:,?\s+(?:and|plus)\s+<CODE>)*)(?!\s*or\b)",
    HEAD=HEAD, VERB=VERB, NOUN=NOUN, CALLED=CALLED, CODE=CODE,
)  # fmt: skip
JAPANESE = pattern(
    r"""
    (?:^|[、。にへ]|(?:関数|メソッド|クラス|オプション|フラグ|引数)\s*[「]?)\s*(?P<name><CODE>)(?P<rest>(?:\s*(?:と|、)\s*<CODE>)*)
    [」]?\s*(?:という|の)?\s*(?:関数|メソッド|クラス|オプション|フラグ|コマンド|サブコマンド|引数|プロパティ)?\s*
    を[^、。を]{0,8}?(?:追加|実装|作成|新設|作って|作る|足し)(?!し(?:た|ない))
    """,
    CODE=CODE,
)
UNSURE = pattern(
    r"\b(?:e\.?g|such\s+as|for\s+example|for\s+instance|something\s+like|maybe|perhaps|or\s+similar)\b"
    r"|など|例えば|たとえば|のような|でも(?:いい|よい)"
)
CONDITION = pattern(r"\b(?:if|unless)\b|もし|場合は|なら")
NO_WORK = pattern(
    r"\b(?:stubs?|stubbed|no-?ops?|placeholders?|abstract|interface|protocol|skeleton|dummy|empty\s+(?:function|method|implementation|body|bodies|class|hook)s?|noop|always"
    r"|constant(?:ly)?(?!\s+time)|for\s+now|does\s+nothing|do\s+nothing|not\s+implemented|NotImplemented\w*|unimplemented)\b"
    r"|スタブ|空の|空で|抽象|インター?フェー?ス|雛形|ひな形|骨組み|ダミー|仮の|とりあえず|常に|必ず|固定|何もしない|未実装"
)
ONE = re.compile(CODE, re.IGNORECASE | re.ASCII)
NAME = re.compile(r"--[a-z][\w-]*|[A-Za-z_$][\w$]*(?=\(|`|$)", re.ASCII)
PLAIN = re.compile(r"[-_]")


def named_code(instruction: str) -> tuple[str, ...]:
    """Each name that has to come, without what it belongs to."""
    found: dict[str, None] = {}
    for sentence in sentences(plain(unpasted(instruction))):
        if not UNSURE.search(sentence):
            found |= dict.fromkeys(_in(sentence))
    return tuple(name for name in found if len(name.strip("-")) > 1)


def wants_no_work(instruction: str) -> bool:
    """Whether what comes may do nothing yet, or the same whatever it is given."""
    return NO_WORK.search(plain(unpasted(instruction))) is not None


def _in(sentence: str) -> Iterator[str]:
    rules = (JAPANESE,) if is_japanese(sentence) else (ADDED, FILE_WITH)
    for rule in rules:
        for match in rule.finditer(sentence):
            if CONDITION.search(sentence, 0, match.end()):
                continue
            for code in (match["name"], *ONE.findall(match["rest"])):
                name = NAME.search(code)
                if name is not None:
                    yield name[0]


def is_named_in(name: str, text: str) -> bool:
    """Whether a name stands in a text, a flag also as tools spell it: dry_run, dryRun."""
    if not name.startswith("-"):
        return re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) is not None
    return PLAIN.sub("", name).lower() in PLAIN.sub("", text).lower()
