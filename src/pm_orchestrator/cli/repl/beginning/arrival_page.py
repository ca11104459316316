"""The first lines on a terminal: where we are, who does the work, what it is checked with."""

import re
from pathlib import Path

from pm_orchestrator.bootstrap.arrival.first_look import FirstLook
from pm_orchestrator.cli.terminal.text_table import display_width
from pm_orchestrator.cli.terminal.text_width import SEPARATOR, wrapped
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.text import Lang

GAP = 2
VERSIONED = re.compile(r"^(\d\S*) \((.+)\)$")
"""A version with the name of the program behind it."""


def arrival_page(look: FirstLook, root: Path, lang: Lang, width: int) -> list[str]:
    """What was found, a line for each thing that a person wants to know."""
    rows = [
        (tell("arrival_project", lang), f"{root} ({_place(look, lang)})"),
        (tell("arrival_executor", lang), _executor(look, lang)),
    ]
    if look.gates is not None:
        checks = SEPARATOR.join(f"{gate.kind}: {' '.join(gate.argv)}" for gate in look.gates)
        rows.append((tell("arrival_checks", lang), checks or tell("arrival_no_checks", lang)))
    room = max(display_width(name) for name, _ in rows) + GAP
    page: list[str] = []
    for name, value in rows:
        head = name + " " * (room - display_width(name))
        first, *rest = wrapped(value, max(20, width - room))
        page += [f"{head}{first}", *(f"{' ' * room}{line}" for line in rest)]
    return page


def _place(look: FirstLook, lang: Lang) -> str:
    if look.repository is None:
        return tell("arrival_no_git", lang)
    return tell("arrival_git", lang, branch=look.branch or "?")


def _executor(look: FirstLook, lang: Lang) -> str:
    if look.cure is not None:
        return f"{look.executor}: {look.cure}"
    name = VERSIONED.sub(r"\2 \1", look.version or look.executor)
    if look.login is not None:
        return f"{name}, {tell('arrival_no_login', lang, login=look.login)}"
    return f"{name}, {tell('arrival_logged_in', lang)}" if look.version else name
