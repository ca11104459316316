"""Which commands an agent may run, and how: nobody is there to type, and nothing waits forever."""

import itertools
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.agents.tools.program_habits import (
    ENDLESS,
    ENDS_WITH,
    FOLLOWS,
    HABITS,
    INTERPRETERS,
    NO_QUESTION,
    RUNNERS,
    SHELLS,
    WATCHES,
    Habit,
)
from pm_orchestrator.agents.tools.simple_commands import DEEPEST, SimpleCommand, simple_commands

WRAPPERS = {
    "sudo": "ugpChDRTr", "doas": "uC", "env": "uCS", "nice": "n", "ionice": "cnp", "nohup": "",
    "setsid": "", "time": "fo", "timeout": "ks", "stdbuf": "ioe", "command": "", "builtin": "",
    "exec": "a", "xargs": "IPnLEdas", "parallel": "j", "chroot": "", "rlwrap": "",
    "strace": "eopsu", "flock": "wE", "xvfb-run": "ens", "poetry": "", "pipenv": "", "uv": "",
    "pdm": "", "bundle": "", "npx": "p", "pnpx": "", "bunx": "",
}  # fmt: skip
"""Programs that start the one they are given, and their options of one letter with a value."""
TAKES_FIRST = {"timeout": 1, "chroot": 1, "flock": 1}
"""How many arguments stand before the command."""
AFTER = dict.fromkeys(("poetry", "pipenv", "uv", "pdm"), "run") | {"bundle": "exec"}
"""The word after which the command stands."""
LONG_WITH_VALUE = re.compile(
    r"--(?:user|group|unset|chdir|signal|kill-after|adjustment|max-args|max-procs|delimiter|with"
    r"|python|package|directory|project|extra|app|prefix|cwd|workspace|filter)"
)
UNKNOWN = "{}"
"""Stands for arguments that are not known here."""
PASSED_OVER = {"docker": "compose"}
"""A word before the one that says what is done, as in `npm run dev`."""
VERSION = re.compile(r"(?<=[a-zA-Z])[\d.]+$|\.(?:tiny|basic|nox)$")


class NeedsTerminal(msgspec.Struct, frozen=True, kw_only=True):
    """A command that cannot be run here, and what is done in its place."""

    command: str
    instead: str

    def say(self) -> str:
        return (
            f"not run: `{self.command}` waits for somebody at a terminal, and nobody is there; "
            f"{self.instead}"
        )


def refusal(line: str) -> NeedsTerminal | None:
    """Why a line cannot be run, or None."""
    for command in _programs(simple_commands(line)):
        habit = _habit(command)
        fed = command.fed or _names_editor(command)
        if habit is not None and habit[0].asks(habit[1], fed=fed):
            return NeedsTerminal(command=" ".join(command.words[:3])[:80], instead=habit[0].instead)
    return None


def _names_editor(command: SimpleCommand) -> bool:
    # An editor that the line itself names is a command like any other.
    settings = (*command.settings, *command.words)
    return any(re.search(r"(?i)editor(?:=|$)", setting) for setting in settings)


def never_ends(line: str) -> bool:
    """Whether a line waits for something that does not end by itself."""
    commands = list(_programs(simple_commands(line)))
    if any(_is_endless(c) and not c.left_running for c in commands):
        return True
    # What is left running ends with its shell; where nothing comes after it, nobody used it.
    return bool(commands) and _is_endless(commands[-1])


def _programs(commands: list[SimpleCommand], depth: int = 0) -> Iterator[SimpleCommand]:
    """What is started in the end: behind wrappers, by `find`, and in scripts of shells."""
    for command in commands:
        if not command.words or depth > DEEPEST:
            continue
        script = _script(command)
        inner = simple_commands(script, depth + 1) if script is not None else _started(command)
        if script is None and not inner:
            yield command
        for started in _programs([_inside(command, each) for each in inner], depth + 1):
            # A time limit ends whatever does not end.
            if not (_program(command) == "timeout" and _is_endless(started)):
                yield started


def _inside(outer: SimpleCommand, inner: SimpleCommand) -> SimpleCommand:
    """What another command starts reads what that one is given, and is left running with it."""
    return msgspec.structs.replace(
        inner,
        fed=inner.fed or outer.fed,
        text=inner.text or outer.text,
        left_running=inner.left_running or outer.left_running,
        settings={**outer.settings, **inner.settings},
    )


def _program(command: SimpleCommand) -> str:
    """What the first word calls; a program in a folder of the project is the project's own."""
    path = PurePosixPath(command.words[0])
    own = "/" in command.words[0] and not path.is_absolute()
    return command.words[0] if own else VERSION.sub("", path.name)


def _plain(arguments: list[str]) -> list[str]:
    return [a for a in arguments if a == "-" or not a.startswith("-")]


def _script(command: SimpleCommand) -> str | None:
    """The shell script that a command runs, where it stands in the line itself."""
    program, arguments = _program(command), command.words[1:]
    if program == "eval":
        return " ".join(arguments)
    if program not in SHELLS and program not in {"su", "script"}:
        return None
    for at, argument in enumerate(arguments[:-1]):
        if re.fullmatch(r"-[a-z]*c|--command", argument):
            return arguments[at + 1]
    return command.text if program in SHELLS and not _plain(arguments) else None


def _started(command: SimpleCommand) -> list[SimpleCommand]:
    """The commands that this one starts by its arguments."""
    program, arguments = _program(command), command.words[1:]
    if program == "find":
        return [SimpleCommand(words=words) for words in _executed(arguments)]
    if program in INTERPRETERS:
        options = list(itertools.takewhile(lambda a: a.startswith("-") and a != "-m", arguments))
        option, *module = arguments[len(options) :] or [""]
        return [SimpleCommand(words=module)] if option == "-m" and module else []
    if program == "sudo" and any(re.fullmatch(r"-[a-zA-Z]*[is]", a) for a in arguments[:1]):
        return [SimpleCommand(words=arguments[1:] or ["sh"])]
    if program not in WRAPPERS or (program == "command" and arguments[:1] in (["-v"], ["-V"])):
        return []
    if program in AFTER:
        if AFTER[program] not in arguments:
            return []
        arguments = arguments[arguments.index(AFTER[program]) + 1 :]
    rest = _after_options(arguments, WRAPPERS[program])[TAKES_FIRST.get(program, 0) :]
    started = SimpleCommand(words=[*rest, UNKNOWN] if program in {"xargs", "parallel"} else rest)
    while started.words and re.fullmatch(r"(?s)[A-Za-z_]\w*=.*", started.words[0]):
        name, _, value = started.words.pop(0).partition("=")
        started.settings[name] = value
    return [started] if started.words and rest else []


def _executed(arguments: list[str]) -> Iterator[list[str]]:
    """What `find` is told to run."""
    for at, argument in enumerate(arguments):
        if argument in {"-exec", "-execdir", "-ok", "-okdir"}:
            rest = arguments[at + 1 :]
            yield rest[: next((n for n, a in enumerate(rest) if a in {";", "+"}), len(rest))]


def _after_options(arguments: list[str], with_value: str) -> list[str]:
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "-":
        option = arguments[at]
        at += 1
        if option == "--":
            break
        short = len(option) == 2 and option[1] in with_value
        at += short or LONG_WITH_VALUE.fullmatch(option) is not None
    return arguments[at:]


def _habit(command: SimpleCommand) -> tuple[Habit, list[str]] | None:
    """What is known of a program, and the arguments that this is about."""
    program, arguments = _program(command), command.words[1:]
    if arguments and arguments[0] in NO_QUESTION:
        return None
    rest = _after_options(arguments, "cC") if program == "git" else arguments
    verb = next(iter(_plain(rest)), "")
    habit = HABITS.get(f"{program} {verb}")
    if habit is not None:
        return habit, rest[rest.index(verb) + 1 :]
    habit = HABITS.get(program)
    return None if habit is None else (habit, arguments)


def _is_endless(command: SimpleCommand) -> bool:
    program = VERSION.sub("", PurePosixPath(command.words[0]).name)
    arguments = command.words[1:]
    if any(a in NO_QUESTION or re.fullmatch(ENDS_WITH, a) for a in arguments):
        return False
    rest = _after_options(arguments, "wFC" if program in RUNNERS else "")
    passed = PASSED_OVER.get(program, "run" if program in RUNNERS else "")
    named = [a for a in _plain(rest) if a != passed]
    if {program, f"{program} {''.join(named[:1])}"} & ENDLESS:
        return True
    if any(p and re.fullmatch(p, a) for p in (WATCHES, FOLLOWS.get(program)) for a in arguments):
        return True
    if program in INTERPRETERS and named:
        script = PurePosixPath(named[0]).name
        return f"{script} {''.join(named[1:2])}" in ENDLESS
    return program in RUNNERS and re.fullmatch(RUNNERS[program], "".join(named[:1])) is not None
