"""Are the checks weaker than before the task?

Deleted, skipped or emptied tests, lowered thresholds, a changed gate. A test that was
moved or renamed is none, nor is a change that the task itself asks for. Other edits of
tests are none of this module's business. Pure: two sets of file contents in, findings out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.deceiving import deceiving
from pm_orchestrator.gates.compare.promised import contradicted
from pm_orchestrator.gates.compare.python_tests import KnownTest
from pm_orchestrator.gates.compare.recognised_tests import is_test_file, tests_in
from pm_orchestrator.gates.compare.task_names import (
    asks_to_remove,
    describes,
    names_path,
    names_word,
)
from pm_orchestrator.gates.weaker.asked_settings import is_asked_for, puts_in, takes_away
from pm_orchestrator.gates.weaker.beside_asked import beside_asked
from pm_orchestrator.gates.weaker.gate_config import (
    config_changes,
    hidden_from_linter,
    is_of_tests,
)

ALIKE = 0.6
"""How much of a vanished test must be found again in a new one of the same file."""


EXAMPLE = LatePattern(r"^\s*>>> ", re.MULTILINE)
ABOUT_EXAMPLES = LatePattern(
    r"\b(?:doc(?:s|strings?|tests?|ument\w*)?|examples?|comments?)\b|例|ドキュメント|コメント|説明",
    re.IGNORECASE | re.ASCII,
)


class Trees(msgspec.Struct, frozen=True, kw_only=True):
    """The changed files as they were and as they are; None where a file is not there."""

    before: Mapping[str, str | None]
    after: Mapping[str, str | None]
    of_tools: frozenset[str] = frozenset()
    """Those among them that are called after a program which a gate runs."""
    whole: bool = True
    """False when more was changed than is compared."""


def find_dilution(
    trees: Trees,
    changes: Sequence[FileChange],
    gates: tuple[Gate, ...],
    instruction: str,
    *,
    own_words: str | None = None,
    tests_tried: bool = False,
) -> tuple[Dilution, ...]:
    """Everything that is weaker now and that `instruction` does not ask for.

    Tests that were tried need not be read: running them says more than their text. What was
    only pasted into the instruction asks for no other settings: `own_words` are the rest.
    """
    said = instruction if own_words is None else own_words
    found = [] if tests_tried else [*lost_tests(trees, changes, instruction)]
    for path in sorted(trees.before.keys() | trees.after.keys()):
        texts = trees.before.get(path), trees.after.get(path)
        found += deceiving(path, *texts, instruction)
        settings = (
            *hidden_from_linter(path, *texts),
            *config_changes(path, *texts, gates, of_a_tool=path in trees.of_tools),
        )
        if takes_away(*texts) and puts_in(said):
            # Who was to put something in was not to take anything out with it.
            found += (finding for finding in settings if finding.kind == "gate_changed")
        if any(f for f in settings if is_asked_for(said, f)):
            # What was asked for permits nothing that goes along with it.
            besides = beside_asked(said, path, texts, gates, of_a_tool=path in trees.of_tools)
            found += (Dilution(kind="gate_changed", path=path, detail=it) for it in besides)
        if tests_tried:
            # What the tests say was tried; how they are started need not be guessed at.
            named = names_path(said, path)
            settings = tuple(
                f for f in settings if f.kind != "gate_changed" or not (named or is_of_tests(f))
            )
        found += (finding for finding in settings if not is_asked_for(said, finding))
    found += (*_examples_gone(trees, instruction), *contradicted(instruction, trees.after))
    if not trees.whole:
        detail = "more files were changed than can be compared"
        found.append(Dilution(kind="gate_changed", path=".", detail=detail))
    return tuple(dict.fromkeys(found))


def changed_tests(trees: Trees) -> int:
    """How many tests were added or changed."""
    old = {(t.name, t.body) for _, t in _all(trees.before)}
    return sum((t.name, t.body) not in old for _, t in _all(trees.after))


def lost_tests(trees: Trees, changes: Sequence[FileChange], instruction: str) -> Iterator[Dilution]:
    """Tests that are gone, skipped or empty by their text.

    Where only the end of a gate is known, another test may stand for one that is gone.
    """
    now = list(_all(trees.after))
    moved = {c.previous_path: c.path for c in changes if c.kind == "renamed" and c.previous_path}
    before = {(path, test.name) for path, test in _all(trees.before)}
    fresh = [(path, test) for path, test in now if (path, test.name) not in before]
    removed = {c.path for c in changes if c.kind == "deleted" and not is_test_file(c.path)}
    for path, test in _all(trees.before):
        if test.skipped or _asked_for(instruction, path, test, removed):
            continue
        home = moved.get(path, path)
        successor = next((t for p, t in now if p == home and t.name == test.name), None)
        successor = successor or _elsewhere(path, test, fresh)
        if successor is None:
            yield Dilution(kind="test_deleted", path=path, detail=test.name)
        elif successor.skipped:
            yield Dilution(kind="test_skipped", path=path, detail=test.name)
        elif _emptied(test, successor):
            yield Dilution(kind="test_emptied", path=path, detail=test.name)


def _examples_gone(trees: Trees, instruction: str) -> Iterator[Dilution]:
    """Examples that a program tries, in the very files it is about: no run can part them."""
    counts = {
        path: (len(EXAMPLE.findall(text or "")), len(EXAMPLE.findall(trees.after.get(path) or "")))
        for path, text in trees.before.items()
        if path.endswith(".py")
    }
    new = sum(len(EXAMPLE.findall(t or "")) for p, t in trees.after.items() if p not in counts)
    gone = [(path, was, now) for path, (was, now) in sorted(counts.items()) if now < was]
    if sum(was - now for _, was, now in gone) <= new or ABOUT_EXAMPLES.search(instruction):
        return
    for path, was, now in gone:
        if trees.after.get(path) is not None and not asks_to_remove(instruction):
            yield Dilution(kind="test_deleted", path=path, detail=f"examples {was} -> {now}")


def _all(files: Mapping[str, str | None]) -> Iterator[tuple[str, KnownTest]]:
    for path, text in sorted(files.items()):
        if text is not None:
            yield from ((path, test) for test in tests_in(path, text))


def _elsewhere(
    path: str, test: KnownTest, fresh: Sequence[tuple[str, KnownTest]]
) -> KnownTest | None:
    """The same test under another roof or name."""
    for _, other in fresh:
        if other.body == test.body or other.last_name == test.last_name:
            return other
    similar = (t for p, t in fresh if p == path and _alike(t.body, test.body))
    return next(similar, None)


def _alike(one: str, other: str) -> bool:
    import difflib

    return difflib.SequenceMatcher(None, one[:4000], other[:4000]).ratio() >= ALIKE


def _emptied(was: KnownTest, now: KnownTest) -> bool:
    """No check left where there was one; or nothing left at all."""
    return (was.checks > 0 and now.checks == 0) or (bool(was.body) and not now.body)


def _asked_for(instruction: str, path: str, test: KnownTest, removed: set[str]) -> bool:
    """Whether the task asks for this test to go."""
    if not asks_to_remove(instruction):
        return False
    if names_path(instruction, path) or names_word(instruction, test.last_name):
        return True
    if describes(instruction, test.last_name):
        return True
    # The tests of something that was itself to be removed go with it.
    return any(_belongs(PurePosixPath(gone).stem, path, test) for gone in removed)


def _belongs(stem: str, path: str, test: KnownTest) -> bool:
    return len(stem) > 1 and (stem in PurePosixPath(path).stem or stem in test.name)
