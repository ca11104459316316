"""A gate that is run in a copy must judge the copy.

A command, a variable or a script that names the project by its absolute path leads back
to the delivered tree, and then the work would be compared with itself. What is given to
the gate is turned to the copy; where the gate's own files or its output still name the
project, nothing can be concluded from the run. Installed dependencies are the exception:
the copy links to the project's.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from pm_orchestrator.evidence.look.plain_open import is_file

DEPENDENCIES = ("node_modules", ".venv", "venv")
"""Linked into a copy and not copied, so their real place may be named."""
ENDS_HERE = r"(?=[/:;,\s\"'`)\]}]|$)"


def turned(argv: Iterable[str], project: Path, copy: Path) -> tuple[str, ...]:
    """The command for the copy."""
    named = _names(project)
    return tuple(named.sub(_literal(copy), argument) for argument in argv)


def turned_variables(variables: Mapping[str, str], project: Path, copy: Path) -> dict[str, str]:
    """The environment for the copy."""
    named = _names(project)
    return {key: named.sub(_literal(copy), value) for key, value in variables.items()}


def leads_back(text: str, project: Path) -> bool:
    """Whether a text names the project itself, its installed dependencies aside."""
    others = "|".join(re.escape(name) for name in DEPENDENCIES)
    return _names(project, rf"(?!/(?:{others})\b)").search(text) is not None


def gate_files(argv: Iterable[str], source: str, where: Path) -> list[Path]:
    """The files in a tree that say what the gate does, as far as it names them."""
    wanted = {where / source, *(where / argument for argument in argv)}
    return [path for path in sorted(wanted) if is_file(path)]


def _names(project: Path, but_not: str = "") -> re.Pattern[str]:
    # The longer one first: one may be the beginning of the other.
    roots = sorted({str(project), str(project.resolve())}, key=len, reverse=True)
    either = "|".join(re.escape(root) for root in roots)
    return re.compile(rf"(?<![\w./-])(?:{either}){ENDS_HERE}{but_not}")


def _literal(copy: Path) -> str:
    return str(copy).replace("\\", r"\\")
