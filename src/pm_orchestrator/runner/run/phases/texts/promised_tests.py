"""Tests that were asked for have to come, and they stand for nothing else that was.

Where tests lie cannot always be told from the path: what is written like one counts as well.
"""

from pm_orchestrator.domain.judging.outcome import FileChange, Reason
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.check_files import (
    is_product_code,
    is_setting,
    is_test,
    is_test_by_place,
)
from pm_orchestrator.gates.compare.recognised_tests import tests_in
from pm_orchestrator.gates.detect.documents import is_document
from pm_orchestrator.gates.detect.makefile import NAMES
from pm_orchestrator.runner.instructions.stated.tests_wanted import (
    asks_for_more_than_tests,
    asks_for_tests,
    builds_file,
)
from pm_orchestrator.runner.places.place import Place, Seen

SHOWN = 10
LIKE_A_TEST = LatePattern(
    r"(?m)\bassert\w*\b|\bexpect\s*\(|\b(?:test|it|describe)\s*\(|#\[test\]|\bt\.(?:Error|Fatal)"
    r"|^\s*(?:diff|cmp|\[|test)\s"
)
EXAMPLE = LatePattern(r"(?m)^\s*>>> ")
# Who says how examples are run says so in one of these.
RUN_EXAMPLES = ("pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", *sorted(NAMES))


async def promised_tests(
    place: Place, instruction: str, seen: Seen, made: list[FileChange]
) -> tuple[Reason, ...]:
    """What is missing of tests, or of all the rest."""
    if not asks_for_tests(instruction):
        return ()
    if not await _came(place, seen, made):
        return (Reason(key="tests_missing"),)
    paths = [change.path for change in seen.changes]
    alone = all(is_test_by_place(path) and not builds_file(instruction, path) for path in paths)
    if not alone or not asks_for_more_than_tests(instruction):
        return ()
    return (Reason(key="only_tests_changed", params={"files": ", ".join(paths[:SHOWN])}),)


async def _came(place: Place, seen: Seen, made: list[FileChange]) -> bool:
    left = [change for change in seen.changes if change.kind != "deleted"]
    if any(_may_be_test(change.path) for change in left):
        return True
    for change in (change for change in made if is_product_code(change.path)):
        now = _text(await place.read_now(seen, change.path))
        before = _text(await place.read_base(change.previous_path or change.path))
        if len(tests_in(change.path, now)) > len(tests_in(change.path, before)):
            return True
        if not before and LIKE_A_TEST.search(now):
            return True
        more = len(EXAMPLE.findall(now)) > len(EXAMPLE.findall(before))
        if more and await _runs_examples(place):
            return True
    return False


def _may_be_test(path: str) -> bool:
    """By its place or name, or because it is of a kind that nobody can tell: a scenario, a page."""
    known = is_product_code(path) or is_document(path) or is_setting(path)
    return is_test(path) or path in NAMES or not known


async def _runs_examples(place: Place) -> bool:
    texts = [_text(await place.read_base(name)) for name in RUN_EXAMPLES]
    return any("doctest" in text for text in texts)


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "replace")
