"""What a person types that is meant for us, or for nobody: answered here, and nobody is started.

Only on a terminal. A script has nobody who would read the answer, and means what it says.
"""

import difflib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from pm_orchestrator.bootstrap.arrival.repository_around import git_programs
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.lines.shell_lines import OF_THE_SHELL, WhereTyped, is_shell_line
from pm_orchestrator.cli.repl.slash_commands import COMMANDS
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.runner.instructions.kinds.small_talk import small_talk

SHELL = "!"
EXIT = "exit"
LEAVES = frozenset({"quit", "q", ":q", "logout"})
"""Other programs are left by them."""
ELSEWHERE = {"/quit": "/exit", "/q": "/exit", "/clear": "/new", "/resume": "/continue"}
"""What commands are called in the executor's own conversation, or in others."""
CLEARS = frozenset({"clear", "cls", "reset"})

Does = Literal["say", "clear", "leave"]


class OurAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What is said, and the line that would do what was probably meant."""

    text: str = ""
    offered: str = ""
    does: Does = "say"


def our_answer(conversation: Conversation, line: str) -> OurAnswer | None:
    """The answer to a line that starts nobody; None for a command or an instruction."""
    if line.startswith(("/", SHELL)) or line.strip().lower() == EXIT:
        return None
    answers = (answer(conversation, line) for answer in (_to_a_word, _to_talk, _to_shell))
    return next((found for found in answers if found is not None), None)


def meant_command(line: str) -> str:
    """The command that an unknown one was probably meant to be, or nothing."""
    name = line.split()[0]
    near = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.7)
    return ELSEWHERE.get(name, near[0] if near else "")


def _to_a_word(conversation: Conversation, line: str) -> OurAnswer | None:
    """One that is ours, or that programs like us are told."""
    word = line.strip().lower()
    if word in CLEARS:
        return OurAnswer(does="clear")
    if word in LEAVES:
        return OurAnswer(does="leave")
    if f"/{word}" not in COMMANDS:
        return None
    text = tell("meant_command", conversation.screen.lang, command=word)
    return OurAnswer(text=text, offered=f"/{word}")


def _to_talk(conversation: Conversation, line: str) -> OurAnswer | None:
    talk = small_talk(line)
    if talk is None or (talk == "assent" and conversation.asked is not None):
        return None
    conversation.screen.hear(line)
    return OurAnswer(text=tell("small_talk", conversation.screen.lang))


def _to_shell(conversation: Conversation, line: str) -> OurAnswer | None:
    # "yes" is a program as well.
    if small_talk(line) is not None or not is_shell_line(line, _surroundings(conversation)):
        return None
    lang = conversation.screen.lang
    if line.split()[0] in OF_THE_SHELL:
        return OurAnswer(text=tell("of_the_shell", lang, path=conversation.project))
    return OurAnswer(text=tell("meant_shell", lang, line=line), offered=f"{SHELL} {line}")


def _surroundings(conversation: Conversation) -> WhereTyped:
    environment = conversation.environment
    found: Callable[[], Path | None] = cache(lambda: git_programs(environment))
    return WhereTyped(
        root=conversation.project, search_path=environment.search_path, git_programs=found
    )
