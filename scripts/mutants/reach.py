"""Which tests reach a line, noted once and kept in `.mutants`.

The notes are by line of a module as it was when they were made, which is kept beside them; where
a line has moved since, it is found again. A test file that has changed is run again.
"""

import contextlib
import difflib
import hashlib
import json
import re
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from coverage import CoverageData, CoverageException
from scripts.mutants.tree import PRODUCT
from scripts.mutants.workshop import Workshop

LEFT_OUT = ("architecture",)
"""Tests that read the source as text, and would see any change."""
NO_TEST = ""
"""How coverage calls what is reached outside of tests."""
PATIENCE_S = 1500.0
WORD = re.compile(r"\w+")

QUICK_FIRST = ("unit", "properties", "conformance", "integration")


def _quick_first(path: Path) -> tuple[int, str]:
    ranks = [place for place, name in enumerate(QUICK_FIRST) if name in path.parts]
    return (*ranks, len(QUICK_FIRST))[0], path.as_posix()


class Reach:
    """What is noted, of this source."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root / ".mutants"
        self._folder.mkdir(exist_ok=True)
        self._lines: dict[str, dict[int, set[str]]] = {}

    def refresh(self, workshop: Workshop, say: Callable[[str], None]) -> None:
        """Run every test file whose notes are missing or old; notes of lines gone stay harmless."""
        old = self._read("files.json")
        now = {
            path.relative_to(self._root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted((self._root / "tests").rglob("test_*.py"), key=_quick_first)
            if not set(path.parts) & set(LEFT_OUT)
        }
        for file, digest in now.items():
            if old.get(file) != digest:
                say(f"noting what {file} reaches")
                self._note(workshop, file)
                old[file] = digest
                self._write("files.json", old)

    def _note(self, workshop: Workshop, file: str) -> None:
        answer = workshop.run((), files=[file], patience_s=PATIENCE_S, trace=True)
        seconds = self._read("tests.json")
        seconds.update(answer["seconds"])
        for failed in answer["failed"]:
            seconds.pop(failed, None)
        traced = workshop.tree.root / ".traced"
        notes = CoverageData(basename=str(self._folder / "reached"))
        notes.read()
        for path in traced.glob("data*"):
            part = CoverageData(basename=str(path))
            try:
                part.read()
                notes.update(part, map_path=self._kept_name(workshop))
            except CoverageException as error:
                print(f"{path.name}: {error}")
        notes.close()
        shutil.rmtree(traced)
        self._write("tests.json", seconds)

    def _kept_name(self, workshop: Workshop) -> Callable[[str], str]:
        """Names a module with what is in it, and keeps that."""
        product = f"{workshop.tree.root / PRODUCT}/"
        names: dict[str, str] = {}

        def named(path: str) -> str:
            if path not in names:
                source = Path(path).read_bytes()
                name = f"{path.removeprefix(product)}@{hashlib.sha256(source).hexdigest()[:12]}"
                kept = self._folder / "sources" / name
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(source)
                names[path] = name
            return names[path]

        return named

    @cached_property
    def seconds(self) -> dict[str, float]:
        """How long each test takes that passes on the whole product."""
        return self._read("tests.json")

    @cached_property
    def _notes(self) -> CoverageData:
        notes = CoverageData(basename=str(self._folder / "reached"))
        notes.read()
        return notes

    @cached_property
    def breadth(self) -> dict[str, int]:
        """How many modules each test reaches; one of few modules is about them."""
        with contextlib.closing(sqlite3.connect(self._folder / "reached")) as notes:
            counted = notes.execute(
                "SELECT context.context, COUNT(*) FROM line_bits"
                " JOIN context ON context.id = line_bits.context_id GROUP BY context.id"
            )
            return dict(counted.fetchall())

    def tests_at(self, module: str, lines: Iterable[int]) -> set[str]:
        """The tests that reach one of these lines, as they are counted today."""
        reached = self._reached(module)
        return {test for line in lines for test in reached.get(line, ())} - {NO_TEST}

    def tests_naming(self, names: Iterable[str]) -> set[str]:
        """Those of files with one of these names in them: they may look at what it stands for."""
        wanted = set(names)
        return {test for test in self.seconds if wanted & self._words[test.partition("::")[0]]}

    @cached_property
    def _words(self) -> dict[str, set[str]]:
        files = {test.partition("::")[0] for test in self.seconds}
        return {file: self._words_in(self._root / file) for file in files}

    def _words_in(self, file: Path) -> set[str]:
        return set(WORD.findall(file.read_text("utf-8"))) if file.exists() else set()

    def at_import(self, module: str, lines: Iterable[int]) -> bool:
        """Whether one of these lines is run while tests are collected."""
        reached = self._reached(module)
        return any(NO_TEST in reached.get(line, ()) for line in lines)

    @cached_property
    def _known(self) -> set[str]:
        return {*self.seconds, NO_TEST}

    def _reached(self, module: str) -> dict[int, set[str]]:
        if module not in self._lines:
            self._lines[module] = reached = defaultdict[int, set[str]](set)
            now = (self._root / PRODUCT / module).read_text("utf-8").splitlines()
            for kept in (self._folder / "sources").glob(f"{module}@*"):
                moved = _moved(kept.read_text("utf-8").splitlines(), now)
                name = kept.relative_to(self._folder / "sources").as_posix()
                for line, tests in self._notes.contexts_by_lineno(name).items():
                    if line in moved:
                        reached[moved[line]].update(set(tests) & self._known)
        return self._lines[module]

    def _read(self, name: str) -> Any:
        path = self._folder / name
        return json.loads(path.read_text("utf-8")) if path.exists() else {}

    def _write(self, name: str, what: object) -> None:
        (self._folder / name).write_text(json.dumps(what, indent=0), encoding="utf-8")


def _moved(was: list[str], now: list[str]) -> dict[int, int]:
    """From a line as it was counted in the notes to what it is now."""
    blocks = difflib.SequenceMatcher(None, was, now, autojunk=False).get_matching_blocks()
    return {
        block.a + place + 1: block.b + place + 1 for block in blocks for place in range(block.size)
    }
