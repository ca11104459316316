"""Texts that code reads are no documents, whatever their suffix says.

A file counts as read by code where a program, a test or a packaging list names it as a
path: a string that is the path and nothing else, a word of a script, a pattern that fits
it. A sentence or a comment that mentions it is for people. What is called as documents are
(README, LICENSE) is named by packaging as a matter of course, and counts only where a
program opens it.
"""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.documents import FOR_PEOPLE, has_role

SOURCES = frozenset(
    {".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go", ".rs", ".rb"}
    | {".java", ".kt", ".c", ".cc", ".cpp", ".h", ".hpp", ".cs", ".php", ".pl", ".lua", ".ex"}
    | {".exs", ".swift", ".scala", ".r", ".jl", ".dart", ".ipynb"}
)
SCRIPTS = frozenset({".sh", ".bash", ".zsh", ".bats", ".mk"})
SCRIPT_NAMES = frozenset({"makefile", "gnumakefile", "justfile", "dockerfile"})
LISTS = frozenset({".toml", ".cfg", ".ini", ".json", ".yaml", ".yml"})
PACKAGING = frozenset({"pyproject.toml", "setup.cfg", "package.json", "manifest.in", "setup.py"})
MOST_READERS = 5_000
MOST_BYTES = 512 * 1024
LITERAL_PATTERN = LatePattern(r"""["'`]([^"'`\s]*\*[^"'`\s]*)["'`]""")
COMMENT = LatePattern(r"(?m)(?:^|\s)#.*$")


def readers_in(listing: Iterable[str]) -> list[str]:
    """The files of a project that could read another."""
    return [path for path in listing if _kind(path) is not None]


def lies_among_code(path: str, listing: frozenset[str]) -> bool:
    """Whether a text is a part of a Python package, and shipped with it."""
    folders = (str(folder) for folder in PurePosixPath(path).parents)
    inside = any(folder != "." and f"{folder}/__init__.py" in listing for folder in folders)
    return inside and not has_role(path)


def is_read_by(path: str, readers: Mapping[str, str]) -> bool:
    """Whether one of these texts, by path, names the file as something to be read."""
    return any(_names(path, reader, text) for reader, text in readers.items())


def _names(path: str, reader: str, text: str) -> bool:
    name, kind = PurePosixPath(path).name, _kind(reader)
    role, packaging = has_role(path), PurePosixPath(reader).name.lower() in PACKAGING
    if kind == "source":
        if role and packaging:
            return False
        return (name in text and _as_literal(name, text)) or _by_pattern(path, text)
    if role or name not in text:
        return False
    if kind == "script":
        return _as_word(name, COMMENT.sub("", text))
    # Lists name pages of a manual as well, which only people read.
    return (packaging or path.lower().endswith(".txt")) and _as_word(name, text)


def _kind(path: str) -> str | None:
    place = PurePosixPath(path)
    if {part.lower() for part in place.parts[:-1]} & FOR_PEOPLE:
        return None
    suffix, name = place.suffix.lower(), place.name.lower()
    if suffix in SOURCES:
        return "source"
    if suffix in SCRIPTS or name in SCRIPT_NAMES:
        return "script"
    return "list" if suffix in LISTS or name in PACKAGING else None


def _as_literal(name: str, text: str) -> bool:
    return re.search(rf"""(["'`])(?:[^"'`\s]*[/\\])?{re.escape(name)}\1""", text) is not None


def _as_word(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None


def _by_pattern(path: str, text: str) -> bool:
    suffix = PurePosixPath(path).suffix
    patterns = (p for p in LITERAL_PATTERN.findall(text) if p.endswith(suffix))
    name = PurePosixPath(path).name
    return any(fnmatchcase(name, p.rpartition("/")[2]) and _fits(path, p) for p in patterns)


def _fits(path: str, pattern: str) -> bool:
    """Whether the folders that a pattern names are those of the path."""
    named = [part for part in pattern.split("/")[:-1] if "*" not in part and part not in {"", "."}]
    return not named or named[-1] in PurePosixPath(path).parts
