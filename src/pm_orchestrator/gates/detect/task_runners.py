"""tox and nox: what they would run, without the environments that they make for it.

They install from the network before they start a test. So the test command in their
settings is taken by itself where it can be run here, the program only where it cannot.
"""

import re
import shlex

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.base_tree import Argv, BaseTree, Offer, text_in
from pm_orchestrator.gates.detect.python_gates import by_python

TOX = {"tox.ini": "testenv", "setup.cfg": "tox:testenv"}
NOX = "noxfile.py"
MODULES = frozenset({"pytest", "unittest", "nose2", "xmlrunner", "twisted.trial", "stestr"})
PROGRAMS = {"pytest": "pytest", "py.test": "pytest", "nose2": "nose2", "trial": "twisted.trial"}
PYTHON = LatePattern(r"(?:\{env_?python\}|(?:.*/)?python[\d.]*|\{basepython\})")
GIVEN = LatePattern(r"\{posargs(?::(?P<default>[^{}]*))?\}")
HERE = LatePattern(r"\{(?:tox_?root|toxinidir)\}/?")
CHOOSING = frozenset(
    {"-k", "-m", "-c", "-p", "-o", "--ignore", "--ignore-glob", "--deselect", "--rootdir"}
    | {"--import-mode", "--doctest-glob", "--override-ini", "--confcutdir"}
)
"""Options of pytest, with a value, that say which tests there are; others are about looks."""
CHOOSING_ALONE = frozenset({"--doctest-modules", "--pyargs", "--strict-markers", "--runxfail"})


async def task_runner_offers(base: BaseTree) -> list[Offer]:
    """The first test command of tox, then that of nox."""
    found: list[Offer] = []
    top = frozenset(name.rstrip("/") for name in await base.names_in(""))
    for name, section in TOX.items():
        text = await text_in(base, name)
        if text is not None and re.search(rf"(?m)^\[{section}\b", text):
            found.append(_offer(name, tox_commands(text, section), ("tox",), top))
    text = await text_in(base, NOX)
    if text is not None:
        found.append(_offer(NOX, nox_commands(text), ("nox",), top))
    return found


def _offer(source: str, commands: list[Argv], program: Argv, top: frozenset[str]) -> Offer:
    translated = next((found for argv in commands if (found := module_with_tests(argv, top))), None)
    if translated is None:
        return Offer("test", source, (program,))
    *own, plain = by_python("-m", *translated)
    return Offer("test", source, (*own, plain, program, plain))


def tox_commands(text: str, section: str) -> list[Argv]:
    """Every command of the test environments, the general one first."""
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    names = [n for n in parser.sections() if n == section or n.startswith(f"{section}:")]
    texts = (parser.get(name, "commands", fallback="") or "" for name in sorted(names, key=len))
    lines = (line for text in texts for line in re.sub(r"\\\n", " ", text).split("\n"))
    return [words for line in lines if (words := _words(line))]


def nox_commands(text: str) -> list[Argv]:
    """Every command that a session runs, as far as it is written out."""
    import ast

    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    found: list[Argv] = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="run"), args=given):
                said = (a.value for a in given if isinstance(a, ast.Constant))
                found.append(tuple(word for word in said if isinstance(word, str)))
            case _:
                pass
    return found


def module_with_tests(argv: Argv, top: frozenset[str]) -> Argv | None:
    """A command as a module to be run and its arguments; None when it runs no tests.

    `top` are the names in the project: what is none of them is no path, but belongs to an
    option that is left out.
    """
    if not argv:
        return None
    first, rest = argv[0], argv[1:]
    if first == "coverage" and rest[:1] == ("run",):
        first = "python"
    if PYTHON.fullmatch(first):
        options = [place for place, word in enumerate(rest) if word == "-m"]
        if not options or rest[options[0] + 1 : options[0] + 2] == ():
            return None
        module, rest = rest[options[0] + 1], rest[options[0] + 2 :]
    elif first in PROGRAMS:
        module = PROGRAMS[first]
    else:
        return None
    if module not in MODULES:
        return None
    return (module, *(_choosing(rest, top) if module == "pytest" else _plain(rest)))


def _choosing(words: Argv, top: frozenset[str]) -> list[str]:
    """What of pytest's arguments says which tests are meant; plugins may not be there."""
    kept: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if "{" in word or word == "--":
            continue
        if word in CHOOSING and rest:
            value = rest.pop(0)
            kept += [] if "{" in value else [word, value]
        elif word in CHOOSING_ALONE or word.split("=")[0] in CHOOSING or _is_path(word, top):
            kept.append(word)
    return kept


def _is_path(word: str, top: frozenset[str]) -> bool:
    return word.removeprefix("./").split("/")[0].split("::")[0] in top


def _plain(words: Argv) -> list[str]:
    return [word for word in words if "{" not in word]


def _words(line: str) -> Argv:
    """One line of tox; a leading dash means that its failure does not count."""
    plain = HERE.sub("", GIVEN.sub(lambda m: m["default"] or "", line.strip()))
    try:
        return tuple(shlex.split(plain.lstrip("-! ")))
    except ValueError:
        return ()
