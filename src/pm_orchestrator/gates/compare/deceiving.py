"""Product code that asks whether it is being tested, and may do something else if it is.

Tests cannot notice it, whichever way they are run, so it is looked for in the text: where a
running program leaves signs of its test runner, and the name of one. Who starts a runner,
or needs one to be installed, only names it.
"""

import re
from collections.abc import Iterator

from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.check_files import is_product_code
from pm_orchestrator.gates.compare.purpose import added_lines

RUNNER = r"(?:_?py\.?test|unittest|nose2?|jest|vitest|mocha|jasmine|node:test|--test)\b"
SIGNS = LatePattern(
    # Variables that a runner sets for nobody but itself.
    r"\b(?:PYTEST_(?:CURRENT_TEST|VERSION|XDIST_WORKER)|NODE_TEST_CONTEXT|JEST_WORKER_ID"
    r"|VITEST(?:_\w+)?)\b|\btesting\.Testing\(\)|\bflag\.Lookup\(\s*\"test\."
    # What is loaded.
    rf"|\bsys\.modules\b.{{0,120}}[\"']{RUNNER}|[\"']{RUNNER}.{{0,120}}\bsys\.modules\b"
    rf"|\brequire\.cache\b.{{0,120}}{RUNNER}"
    # How it was started.
    rf"|[\"']{RUNNER}[\"']\s+(?:not\s+)?in\s.{{0,60}}\b(?:argv|cmdline|environ)\b"
    rf"|\bprocess\.(?:exec)?[aA]rgv\b.{{0,60}}(?:includes|some|indexOf|match|test)\b.{{0,60}}{RUNNER}"
    # Who called.
    r"|\b(?:inspect\.stack|_getframe|extract_stack|currentframe|getouterframes)\b"
    r"[\s\S]{0,200}?[\"'][^\"'\n]*test"
    r"|\bnew Error\(\)\.stack\b.{0,120}(?:test|spec)"
)
SPOKEN_OF = LatePattern(
    rf"{RUNNER}|\btest runner|\bunder test\b"
    # A place where tests lie says nothing about how they are run.
    r"|\b(?:while|when|during|in)\s+(?:the\s+)?(?:unit\s+)?tests?\b(?![/.]\w)"
    r"|\btest (?:mode|environment)|テスト(?:実行)?(?:中|時|環境|モード|ランナー)",
    re.IGNORECASE | re.ASCII,
)


def deceiving(path: str, before: str | None, after: str | None, asked: str) -> Iterator[Dilution]:
    """What a file newly does to find out whether it is tested, unless it was asked to."""
    if after is None or not is_product_code(path) or SPOKEN_OF.search(asked):
        return
    found = SIGNS.search(added_lines([before], [after]))
    if found is not None:
        detail = " ".join(found[0].split())[:80]
        yield Dilution(kind="product_sees_tests", path=path, detail=detail)
