"""Did a green test run test anything?

Runners of every language print what they counted. A run is empty when some
runner says that it ran nothing and none says that it ran something; output that
says neither is taken at its exit code, since a silent suite is an honest one.
"""

import re

from pm_orchestrator.domain.late_pattern import LatePattern

# Each captures the number of tests that were really run. Blanks, not `\s`: that would
# run on over empty lines, and a page of them would take forever.
COUNTS: tuple[LatePattern, ...] = tuple(
    LatePattern(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:=+ )?(?:.*, )?(\d+) passed\b",  # pytest
        r"^test result: \w+\. (\d+) passed;",  # cargo
        r"^Tests:[ \t]+(?:.*, )?(\d+) (?:passed|total)\b",  # jest
        r"^[ \t]*Tests[ \t]+(?:.*\| )?(\d+) passed\b",  # vitest
        r"^[ \t]*(\d+) passing\b",  # mocha
        r"^(?:#|ℹ) pass (\d+)$",  # node --test
    )
)
# What the same runners, in the same order, count besides those that passed.
FAILED: tuple[LatePattern, ...] = tuple(
    LatePattern(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:=+ )?(\d+) failed\b.* in [\d.]+s",  # pytest
        r"^test result: FAILED\. \d+ passed; (\d+) failed",  # cargo
        r"(?!)",  # jest counts them in its total
        r"^[ \t]*Tests[ \t]+(\d+) failed\b",  # vitest
        r"^[ \t]*(\d+) failing$",  # mocha
        r"^(?:#|ℹ) fail (\d+)$",  # node --test
    )
)
# A runner that says it ran something without saying how much.
RAN = LatePattern(
    r"^ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\])", re.MULTILINE
)
RAN_NOTHING: tuple[LatePattern, ...] = tuple(
    LatePattern(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:=+ )?no tests ran\b",  # pytest
        r"^collected 0 items\b(?! / )",  # pytest
        r"^(?:=+ )?(?:\d+ (?:skipped|deselected|warnings?),? )+in [\d.]+s",  # pytest
        r"^NO TESTS RAN\b",  # unittest
        r"^\?[ \t]+\S+[ \t]+\[no test files\]",  # go
        r"\[no tests to run\]$",  # go
        r"^No tests? (?:files )?found\b",  # jest, vitest
    )
)
UNITTEST = LatePattern(r"^Ran (\d+) tests? in ", re.MULTILINE)
UNITTEST_SKIPPED = LatePattern(r"^OK \((?:.*, )?skipped=(\d+)", re.MULTILINE)


def ran_no_test(output: str) -> bool:
    """Whether the output says that not one test was run."""
    counts = _counts(output)
    if any(counts) or RAN.search(output):
        return False
    return bool(counts) or any(pattern.search(output) for pattern in RAN_NOTHING)


def tests_run(output: str) -> int | None:
    """How many tests passed or were run, as far as the runners say; None where none does."""
    counts: list[int] = []
    for passed, failed in zip(COUNTS, FAILED, strict=True):
        found = [*passed.findall(output), *failed.findall(output)]
        counts += [sum(map(int, found))] if found else []
    if (unittest := _unittest(output)) is not None:
        counts.append(unittest)
    # The patterns of two runners can fit the same line.
    return max(counts) if counts else None


def _counts(output: str) -> list[int]:
    counts = [int(n) for pattern in COUNTS for n in pattern.findall(output)]
    if (unittest := _unittest(output)) is not None:
        counts.append(unittest)
    return counts


def _unittest(output: str) -> int | None:
    """Tests run less those skipped: unittest counts both as run."""
    ran = [int(n) for n in UNITTEST.findall(output)]
    skipped = [int(n) for n in UNITTEST_SKIPPED.findall(output)]
    return max(0, sum(ran) - sum(skipped)) if ran else None
