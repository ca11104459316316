"""Shell scripts: which argument leads to which written output."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.answers.functions import CodeFunction
from pm_orchestrator.gates.answers.tables import HeldAnswer

SUFFIXES = frozenset({".sh", ".bash", ".zsh"})
COMMENT = LatePattern(r"(?m)(?:^|(?<=\s))#.*$")
WORD = r"\"[^\"$`\n]*\"|'[^'\n]*'|[^\s\"'$`;|&()*?\[\]]+"
OUTPUT = rf"(?:echo|printf(?:\s+['\"]%s(?:\\n)?['\"])?)\s+(?P<answer>{WORD})\s*(?=;|\n|\}}|\|\||$)"
ARM = LatePattern(
    rf"(?:^|\bin\b|;;)\s*\(?(?P<asked>(?:{WORD})(?:\s*\|\s*(?:{WORD}))*)\)\s*{OUTPUT}",
    re.MULTILINE,
)
TEST = LatePattern(
    rf"\$\{{?[\w@]+\}}?\"?\s*==?\s*(?P<asked>{WORD})\s*\]?\]?\s*(?:;?\s*then|&&)\s*{OUTPUT}"
)
ONE = LatePattern(WORD)
NO_WORK = LatePattern(r"\s*(?:set\s.*|exit(?:\s+0)?|shift|:|true)?\s*")
ONLY = LatePattern(rf"\s*{OUTPUT}.*")


def is_shell(path: str) -> bool:
    """Whether a file is a shell script by its name."""
    return PurePosixPath(path).suffix in SUFFIXES


def shell_function(path: str) -> CodeFunction:
    """The script itself: what it is called with are its parameters."""
    return CodeFunction(PurePosixPath(path).stem, None, ("1",), (), 1)


def shell_entries(text: str) -> Iterator[HeldAnswer]:
    """The branches of a script that do nothing but print."""
    bare = COMMENT.sub("", text)
    for pattern in (ARM, TEST):
        for found in pattern.finditer(bare):
            line = bare.count("\n", 0, found.start("asked")) + 1
            for word in ONE.findall(found["asked"]):
                yield HeldAnswer(frozenset({_value(word)}), _value(found["answer"]), line)


def shell_constant(text: str) -> str | None:
    """What a script prints that does nothing but that."""
    lines = [line for line in COMMENT.sub("", text).splitlines() if not NO_WORK.fullmatch(line)]
    only = ONLY.fullmatch(lines[0]) if len(lines) == 1 else None
    return None if only is None else _value(only["answer"])


def _value(word: str) -> str:
    quoted = word[:1] in {'"', "'"}
    return "s:" + (word[1:-1] if quoted else word)
