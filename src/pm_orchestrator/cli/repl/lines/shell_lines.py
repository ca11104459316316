"""Is a line a command for a shell, typed at the wrong prompt?

Only where every word says so: a program or a builtin at its head, and behind it nothing but
options, paths that are there, and the program's own sub-commands. Any word of prose makes an
instruction of it, and so does whatever changes the tree in a way that the Runner can see.
"""

import os
import shlex
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.instructions.requirement import understand
from pm_orchestrator.runner.instructions.words.verbs import VERBS, word_set
from pm_orchestrator.runner.instructions.words.wording import is_japanese

OF_THE_SHELL = word_set("cd pushd popd export alias unalias source history jobs fg bg set unset")
"""They are of use only in the shell that they are typed in."""
JOINS = frozenset({"|", "||", "&&", ";", "&"})
INTO = frozenset({">", ">>", "<", "2>"})
GLOB = frozenset("*?[")
LONGEST = 400
LETTERS_OF_NO_WORD = 2


class WhereTyped(msgspec.Struct, frozen=True, kw_only=True):
    """What the words of a line may stand for."""

    root: Path
    search_path: str
    git_programs: Callable[[], Path | None]
    """Where git keeps its sub-commands."""


def is_shell_line(line: str, around: WhereTyped) -> bool:
    """Whether it is one or more commands and nothing else."""
    if len(line) > LONGEST or "\n" in line or is_japanese(line):
        return False
    try:
        words = shlex.split(line)
    except ValueError:
        # An apostrophe: prose.
        return False
    commands = list(_commands(words))
    return all(_is_command(each, around) for each in commands) and not _demands(line)


def _commands(words: Iterable[str]) -> Iterable[list[str]]:
    command: list[str] = []
    for word in words:
        if word in JOINS:
            yield command
            command = []
        else:
            command.append(word)
    yield command


def _is_command(words: list[str], around: WhereTyped) -> bool:
    if not words:
        return False
    name, *rest = words
    if name.lower() in VERBS:
        return False
    if name not in OF_THE_SHELL and not _is_program(name, around):
        return False
    before = ""
    for number, word in enumerate(rest):
        known = _is_argument(word, before, around.root) and not _is_prose(name, word)
        # The value of an option is a single word behind it.
        known = known or (before.startswith("-") and word.isalnum())
        if not known and not (number == 0 and _is_sub_command(name, word, around)):
            return False
        before = word
    return True


def _is_program(name: str, around: WhereTyped) -> bool:
    if "/" in name:
        path = around.root / name
        return path.is_file() and os.access(path, os.X_OK)
    return shutil.which(name, path=around.search_path) is not None


def _is_argument(word: str, before: str, root: Path) -> bool:
    if word.startswith("-") and len(word) > 1:
        return True
    if before in INTO or word in INTO or not GLOB.isdisjoint(word):
        return True
    return (root / Path(word).expanduser()).exists() if word else False


def _is_prose(name: str, word: str) -> bool:
    """Whether both may be words of a sentence, as in "more tests": `ls` never is one."""
    return word.isalpha() and name.isalpha() and len(name) > LETTERS_OF_NO_WORD


def _is_sub_command(name: str, word: str, around: WhereTyped) -> bool:
    """By the convention that git began: `git-log` is what `git log` runs."""
    program = f"{name}-{word}"
    if shutil.which(program, path=around.search_path):
        return True
    folder = around.git_programs() if name == "git" else None
    return folder is not None and (folder / program).exists()


def _demands(line: str) -> bool:
    """Whether the Runner reads in it what has to be so afterwards, or a danger."""
    try:
        wanted = understand(line, "")
    except PmError as question:
        return question.slug == "dangerous_instruction"
    return bool(wanted.files_to_go or wanted.effects)
