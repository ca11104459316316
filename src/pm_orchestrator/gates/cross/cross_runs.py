"""Do the checks still bite? Decided from runs on trees that nobody delivered. Pure.

The checks from before on the new product: it has to hold what held. The new checks on the
product from before: tests that were asked for have to be red there. The new checks on no
product at all: whoever stays green there has stopped looking. What the task asks to change
or to take away is no finding, and a run that could not be made is one.
"""

from collections.abc import Callable, Iterator, Mapping

from pm_orchestrator.domain.judging.gate import GateVerdict
from pm_orchestrator.domain.judging.quality import Dilution, DilutionKind
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.expectations import (
    expects_otherwise,
    holds_expectations,
    tries_the_same,
)
from pm_orchestrator.gates.compare.purpose import Purpose
from pm_orchestrator.gates.compare.test_ids import file_in, file_of, own_name
from pm_orchestrator.gates.cross.crossing import Changed, Crossing, CrossRun
from pm_orchestrator.gates.cross.old_examples import examples_of, shows_otherwise

ALL = "all of it"
"""Where a gate does not say which of its tests failed."""
EXPECTED_TO_FAIL = LatePattern(
    r"\bxfail\b|\bexpectedFailure\b"
    r"|\b(?:test|it)\.todo\b|\btodo: |\b(?:it|test)\.fails?\b|\btest\.failing\b"
)
SHOWN = 20
"""Findings of one kind; more say no more."""


def find_toothless(crossing: Crossing, changed: Changed, purpose: Purpose) -> tuple[Dilution, ...]:
    """What the runs show against the checks, or against the product by the checks from before."""
    if crossing.old_checks is None:
        return (_finding("not_cross_run", ALL),)
    return tuple(
        dict.fromkeys(
            (
                *_broken(crossing, crossing.old_checks, changed, purpose),
                *_vanished(crossing, crossing.old_checks, changed, purpose),
                *_green_before(crossing, changed, purpose),
                *_blind(crossing, changed, purpose),
                *_careless(crossing),
                *_undelivered(crossing),
            )
        )
    )


def _broken(
    crossing: Crossing, old: CrossRun, changed: Changed, purpose: Purpose
) -> Iterator[Dilution]:
    """What held before the task, or was to hold after it, and does not."""
    for test in failing_alone(crossing.delivered, old, crossing.base)[:SHOWN]:
        if not _may_fail(test, crossing, changed, purpose):
            yield _finding("old_test_fails", test)


def failing_alone(delivered: CrossRun, old: CrossRun, base: CrossRun | None) -> list[str]:
    """Tests of before that fail on the new product, and do not fail as they are now."""
    if old.by_test and old.failed:
        return sorted(old.failed - delivered.failed)
    if old.green or (base is not None and _same_end(old, base)):
        # It could not be run before either: then there was nothing to hold.
        return []
    if base is not None and _only_too_little(base) and _only_too_little(old):
        # No test fails: there were too few of them, and were so before.
        return []
    return [ALL] if delivered.green else []


def _only_too_little(run: CrossRun) -> bool:
    """Whether all tests hold and the gate is red all the same, as by a threshold of coverage."""
    return run.verdict is GateVerdict.FAIL and run.by_test and not run.failed and bool(run.passed)


def _same_end(old: CrossRun, base: CrossRun) -> bool:
    return old.verdict is base.verdict is GateVerdict.COULD_NOT_RUN


def _may_fail(test: str, crossing: Crossing, changed: Changed, purpose: Purpose) -> bool:
    """Whether the task asks for what makes an old test fail."""
    if _holds_at_last(test, crossing, changed):
        return True
    text = changed.known if test == ALL else _text_of(test, changed)
    about = purpose.is_about(test, text, changed.known)
    if not changed.product:
        return purpose.mends_checks or (purpose.removes and about)
    gone = changed.only_gone if test == ALL else test not in crossing.delivered.executed
    if purpose.removes and about and gone:
        return True
    if (
        crossing.called_anew
        or _was_red(test, crossing.base)
        or not _is_red(test, crossing.on_old_product)
    ):
        # Tests of another behaviour do not pass on the old one; bent ones do.
        return False
    if purpose.keeps(test, text, changed.known) or (
        purpose.works_over and _only_expects_otherwise(test, changed)
    ):
        return False
    return _was_rewritten(test, crossing, changed, purpose) and (
        purpose.gives_value(changed.added)
        or (purpose.names_test(test) if purpose.only_adds else about and not purpose.repairs)
    )


def _holds_at_last(test: str, crossing: Crossing, changed: Changed) -> bool:
    """Whether it was expected to fail and does not any more: then its old mark is what fails."""
    file, base = file_of(test, changed.before.keys()), crossing.base
    if file is None or base is None or not base.by_test or test in base.executed:
        return False
    was = EXPECTED_TO_FAIL.search(changed.before[file]) is not None
    return was and test in crossing.delivered.passed


def _was_rewritten(test: str, crossing: Crossing, changed: Changed, purpose: Purpose) -> bool:
    """Whether the test itself, or what it compares with, is another one now, and holds.

    One that was not touched passes by something else; one that is not run holds nothing,
    unless another one of the same thing has come, which adding gives no reason for.
    """
    if test == ALL:
        return changed.tests
    now, base = crossing.delivered, crossing.base
    file = file_of(test, changed.before.keys())
    if file is None:
        data = any(map(holds_expectations, changed.before))
        return data and test in now.passed
    old = frozenset[str]() if base is None else base.executed
    there = crossing.on_old_product
    if test in now.executed:
        return test in now.passed
    if test in old:
        new = now.passed - old - (frozenset[str]() if there is None else there.passed)
        text = _text_of(test, changed)
        return not purpose.only_adds and any(
            tries_the_same(text, _body_of(other, changed.after)) for other in new
        )
    # It stands for a whole file that could not be loaded.
    return bool(now.passed)


def _only_expects_otherwise(test: str, changed: Changed) -> bool:
    """Whether nothing about it is new but what it expects."""
    file = None if test == ALL else file_of(test, changed.before.keys())
    files = [path for path in changed.before if path in changed.after and file in {None, path}]
    name = None if test == ALL else own_name(test).split("[", 1)[0]
    return bool(files) and all(
        expects_otherwise(path, changed.before[path], changed.after[path], name)
        or shows_otherwise(changed.before[path], changed.after[path], name)
        for path in files
    )


def _was_red(test: str, base: CrossRun | None) -> bool:
    if base is None or base.green:
        return False
    return test == ALL or not base.by_test or test in base.failed


def _is_red(test: str, there: CrossRun | None) -> bool:
    """Whether a test as it is now, or whatever stands for it, is red on the old product."""
    if there is None or there.green:
        return False
    return test not in there.passed


def _vanished(
    crossing: Crossing, old: CrossRun, changed: Changed, purpose: Purpose
) -> Iterator[Dilution]:
    """Tests that were run before and are not run any more."""
    now, runs = crossing.delivered, [old]
    if not old.green and crossing.base is not None:
        runs.append(crossing.base)
    if not now.by_test and any(run.by_test and run.executed for run in runs):
        yield _finding("tests_not_reported", ALL)
        return
    most = max((run.number or 0 for run in runs), default=0)
    if not now.by_test:
        if now.number is not None and now.number < most and not purpose.removes:
            yield _finding("test_deleted", f"{most} -> {now.number}")
        return
    old_ids = frozenset[str]().union(*(run.executed for run in runs))
    gone = old_ids - now.executed - old.failed
    gone_asked = purpose.removes or purpose.mends_checks
    gone_asked = gone_asked and not purpose.leaves_out_elsewhere

    def is_about(test: str) -> bool:
        return purpose.is_about(test, _text_of(test, changed), changed.known)

    changing = not purpose.only_adds and not purpose.repairs
    left = _without_successor(
        gone,
        now.executed - old_ids,
        crossing,
        changed,
        lambda test: changing and is_about(test),
    )
    still = {file_in(test) for test in now.executed}
    for test in sorted(left)[:SHOWN]:
        file = file_in(test)
        # Who says where a gate is to look has asked for it to look nowhere else.
        known = file is not None and file_of(test, changed.before.keys()) is not None
        # Of a file that is left out nothing is run.
        whole = file is not None and not known and file not in still
        left_out = file is not None and whole and purpose.leaves_out(file, changed.known)
        if not left_out and not (gone_asked and is_about(test)):
            yield _finding("test_deleted", test)


def _without_successor(
    gone: frozenset[str],
    new: frozenset[str],
    crossing: Crossing,
    changed: Changed,
    may_differ: Callable[[str], bool],
) -> list[str]:
    """Tests for which no other one has come: under the same name, or for what was there before.

    A test of something new stands for no old one, but for one of what the task changes, and
    one that looks at nothing stands for none.
    """
    old_nothing = crossing.old_on_nothing
    blind = frozenset[str]() if crossing.on_nothing is None else crossing.on_nothing.passed
    blind -= frozenset[str]() if old_nothing is None else old_nothing.passed
    free = {test: own_name(test) for test in sorted(new - blind)}
    left: list[str] = []
    for test in sorted(gone):
        same = next((other for other, name in free.items() if name == own_name(test)), None)
        if same is None:
            left.append(test)
        else:
            del free[same]
    there = crossing.on_old_product
    known = frozenset[str]() if there is None else there.passed
    of_old = [test for test in free if not changed.product or test in known]
    strict = [test for test in left if not may_differ(test)]
    return [] if len(strict) <= len(of_old) and len(left) <= len(free) else left


def _green_before(crossing: Crossing, changed: Changed, purpose: Purpose) -> Iterator[Dilution]:
    """Tests that were asked for with a change, and do not notice that it is missing."""
    there = crossing.on_old_product
    if purpose.wants_tests and changed.product and there is not None and there.green:
        yield _finding("tests_green_before", ALL)


def _blind(crossing: Crossing, changed: Changed, purpose: Purpose) -> Iterator[Dilution]:
    """Tests that do not notice that there is no product, or that one is false."""
    now, before = crossing.on_nothing, crossing.old_on_nothing
    if now is None:
        return
    if crossing.canary and any(crossing.canary in test for test in now.passed):
        yield _finding("false_test_passes", ALL)
    if before is not None and not before.green:
        if now.by_test and before.by_test:
            hollow = now.passed & before.failed & crossing.delivered.executed
            for test in sorted(hollow)[:SHOWN]:
                yield _finding("test_emptied", test)
        elif now.green:
            yield _finding("test_emptied", ALL)
    new = _new_tests(crossing)
    had_none = before is None or not before.green
    if purpose.wants_tests and not changed.product and new and had_none and new <= now.passed:
        yield _finding("test_emptied", sorted(new)[0])


def _undelivered(crossing: Crossing) -> Iterator[Dilution]:
    """Tests that hold only by files that git ignores, and that nobody else will have."""
    there = crossing.as_delivered
    if there is None or there.verdict is not GateVerdict.FAIL or not crossing.delivered.green:
        return
    failing = sorted(there.failed - crossing.delivered.failed) if there.by_test else [ALL]
    for test in failing[:SHOWN]:
        yield _finding("only_ignored_changed", test)


def _careless(crossing: Crossing) -> Iterator[Dilution]:
    """Tests that hold whatever the product does: they swallow their own failure, or more.

    A test of a value fails where anything is given back, one of an error too, and one that
    only wants no error fails where there is one. Of new tests one good one is enough; one
    that was rewritten has to be as good as it was.
    """
    if crossing.on_errors is None or _not_reached(crossing, crossing.on_errors):
        return
    careless = suspects(crossing) & crossing.on_errors.passed
    new = _new_tests(crossing)
    for test in sorted(careless - new if new - careless else careless)[:SHOWN]:
        yield _finding("test_holds_anyway", test)


def _not_reached(crossing: Crossing, failing: CrossRun) -> bool:
    """Whether no test of before notices what stands in for the product: they try a build of it."""
    old, there = crossing.old_checks, crossing.on_anything
    known = frozenset[str]() if old is None else old.passed & crossing.delivered.executed
    return bool(known) and there is not None and known <= there.passed & failing.passed


def suspects(crossing: Crossing) -> frozenset[str]:
    """New and rewritten tests that hold where the product gives back anything."""
    old, there = crossing.old_checks, crossing.on_anything
    if old is None or there is None:
        return frozenset()
    return (crossing.delivered.executed - old.passed) & there.passed


def _new_tests(crossing: Crossing) -> frozenset[str]:
    """Tests that the checks from before do not have."""
    old = crossing.old_checks.executed if crossing.old_checks is not None else frozenset[str]()
    return crossing.delivered.executed - old


def _text_of(test: str, changed: Changed) -> str:
    """What stands in a test from before."""
    return _body_of(test, changed.before)


def _body_of(test: str, files: Mapping[str, str]) -> str:
    """What stands in a test; all of its file, or of all, where it is not found."""
    from pm_orchestrator.gates.compare.recognised_tests import tests_in

    name, file = own_name(test).split("[", 1)[0].strip(), file_in(test)
    file = file and file_of(test, files.keys())
    texts = {p: t for p, t in files.items() if file in {None, p}}
    found = [
        known.body
        for path, text in (texts or files).items()
        for known in tests_in(path, text)
        if known.last_name == name
    ]
    examples = (examples_of(text, name) for text in (texts or files).values())
    found = found or [example for example in examples if example is not None]
    return "\n".join(found or (texts or files).values())


def _finding(kind: DilutionKind, detail: str) -> Dilution:
    return Dilution(kind=kind, path=file_in(detail) or ".", detail=detail)
