"""Which functions did a task make that lead from written questions to written answers?

Most tasks make none, and then no test has to be read. A function that had such questions
before is a table by its nature, and may grow.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from pm_orchestrator.gates.answers.data_tables import read_tables
from pm_orchestrator.gates.answers.functions import CodeFunction, Source, source_of
from pm_orchestrator.gates.answers.held import constant_of, entries_of, is_stub
from pm_orchestrator.gates.answers.shell import (
    is_shell,
    shell_constant,
    shell_entries,
    shell_function,
)
from pm_orchestrator.gates.answers.tables import HeldAnswer, tables_in
from pm_orchestrator.gates.compare.check_files import is_product_code
from pm_orchestrator.gates.weaker.dilution import Trees

Former = Literal["nothing", "work", "table"]
"""What a function did before the task."""
LARGEST = 256 * 1024
"""Characters; nobody wrote a larger text of code by hand."""


class Suspect(msgspec.Struct, frozen=True, kw_only=True):
    """A function that holds answers now which it did not hold before."""

    path: str
    function: CodeFunction
    before: Former
    entries: tuple[HeldAnswer, ...] = ()
    """All that it holds."""
    added: tuple[HeldAnswer, ...] = ()
    constant: str | None = None
    """The one thing that it gives back, whatever it is asked."""
    polymorphic: bool = False
    """Whether other classes have one of that name, each with its own answer."""
    has_state: bool = False
    """Whether the object that it belongs to remembers anything."""


def suspects_in(trees: Trees, data: Mapping[str, str] | None = None) -> tuple[Suspect, ...]:
    """Those in all changed product code; `data` are new files that it may read."""
    known = read_tables(data or {})
    product = [path for path in sorted(trees.before.keys() | trees.after.keys()) if _is_read(path)]
    old = Old(trees, product)
    found: list[Suspect] = []
    for path in product:
        text = _short(trees.after.get(path))
        if text and text != trees.before.get(path):
            found += (
                _script(path, text, old) if is_shell(path) else _functions(path, text, old, known)
            )
    return tuple(found)


class Old:
    """Product code as it was before the task."""

    def __init__(self, trees: Trees, product: list[str]) -> None:
        self.texts = {path: _short(trees.before.get(path)) for path in product}
        self.lines = {
            line.strip() for text in self.texts.values() for line in (text or "").splitlines()
        }
        self._sources = {
            path: source_of(path, text)
            for path, text in self.texts.items()
            if text and not is_shell(path)
        }

    def has(self, line: str) -> bool:
        return line.strip() in self.lines

    def did(self, path: str, function: CodeFunction) -> Former:
        """What a function did: the one of its file, or one of its name that has moved."""
        every = [(p, s, f) for p, s in self._sources.items() for f in s.functions]
        same = [(s, f) for p, s, f in every if p == path and f.place == function.place]
        same = same or [(s, f) for _, s, f in every if f.name == function.name]
        if not same or all(is_stub(old) for _, old in same):
            return "nothing"
        tables = any(_holds(source, old) for source, old in same)
        return "table" if tables else "work"


def _holds(source: Source, function: CodeFunction) -> bool:
    return bool(entries_of(function, tables_in(source))) or constant_of(function) is not None


def _functions(
    path: str, text: str, old: Old, data: Mapping[str, tuple[HeldAnswer, ...]]
) -> Iterator[Suspect]:
    source, lines = source_of(path, text), text.splitlines()
    tables = tables_in(source)
    read = [entry for name, entries in data.items() if name in text for entry in entries]
    for function in source.functions:
        entries, constant = entries_of(function, tables), constant_of(function)
        added = [e for e in entries if e.answer and not old.has(lines[e.line - 1])]
        if read and function.parameters and _is_new(function, lines, old):
            # Whoever of them reads the file, what is in it is held by all that are new.
            entries, added = [*entries, *read], [*added, *read]
        fresh = constant is not None and _is_new(function, lines, old)
        if not added and not fresh:
            continue
        before = old.did(path, function)
        if before == "table":
            continue
        yield Suspect(
            path=path,
            function=function,
            before=before,
            entries=tuple(entries),
            added=tuple(added),
            constant=constant,
            polymorphic=_is_polymorphic(source, function),
            has_state=_has_state(source, function),
        )


def _is_new(function: CodeFunction, lines: list[str], old: Old) -> bool:
    return any(t.kind != "line" and not old.has(lines[t.line - 1]) for t in function.body)


def _script(path: str, text: str, old: Old) -> Iterator[Suspect]:
    was = old.texts.get(path)
    if was and (shell_constant(was) or any(shell_entries(was))):
        return
    lines, entries = text.splitlines(), tuple(shell_entries(text))
    constant = shell_constant(text)
    added = tuple(entry for entry in entries if not old.has(lines[entry.line - 1]))
    if added or constant is not None:
        yield Suspect(
            path=path,
            function=shell_function(path),
            before="work" if was else "nothing",
            entries=entries,
            added=added,
            constant=constant,
        )


def _is_polymorphic(source: Source, function: CodeFunction) -> bool:
    if function.owner is None:
        return False
    others = (f for f in source.functions if f.name == function.name and f.owner is not None)
    return function.owner.derived or len({other.place for other in others}) > 1


def _has_state(source: Source, function: CodeFunction) -> bool:
    """Whether anything is put into `self` or `this` in its class."""
    if function.owner is None:
        return False
    tokens = source.tokens[function.owner.first : function.owner.last]
    return any(
        token.text in {"self", "this"}
        and [t.text for t in tokens[at + 1 : at + 2]] == ["."]
        and any(t.text == "=" for t in tokens[at + 3 : at + 5])
        for at, token in enumerate(tokens)
    )


def _is_read(path: str) -> bool:
    return is_product_code(path)


def _short(text: str | None) -> str | None:
    return None if text is None or len(text) > LARGEST else text
