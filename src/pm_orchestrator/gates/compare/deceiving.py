"""Product code that is made for its tests: it asks for them, reads them, or hides what they find.

Tests cannot notice it, whichever way they are run, so it is looked for in the text: where a
running program leaves signs of its test runner, and the name of one; the folder in which tests
lie, and that something is read; and whoever takes over how the whole process ends. Who starts
a runner, or needs one to be installed, only names it.
"""

import re
from collections.abc import Iterator

from pm_orchestrator.domain.judging.quality import Dilution, DilutionKind
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.check_files import is_product_code
from pm_orchestrator.gates.compare.purpose import added_lines

RUNNER = r"(?:_?py\.?test|unittest|nose2?|jest|vitest|mocha|jasmine|node:test|--test)\b"
CALLERS = (
    r"(?:\b(?:inspect\.stack|_getframe|extract_stack|currentframe|getouterframes)\b"
    r"|\bError\([^()\n]*\)\.stack\b|\bcaptureStackTrace\b|\b(?:module\.parent|require\.main)\??\."
    r"|\bdebug\.getinfo\b|\bcaller_locations\b|\bruntime\.Callers?\b)"
)
CALLED_TEST = r"[\"'`/][^\"'`\n/]*(?<![A-Za-z])(?:test|spec)(?![A-Za-rt-z])"
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
    rf"|\b(?:argv|cmdline|execArgv)\b[^\n]{{0,60}}(?:==|!=|\.\w+\()[^\n]{{0,40}}[\"'][^\"'\n]*{RUNNER}"
    r"|\bnpm_lifecycle_(?:event|script)\b"
    # Who called, whichever of both is said first.
    rf"|{CALLERS}[\s\S]{{0,200}}?{CALLED_TEST}|{CALLED_TEST}[^\n]{{0,120}}{CALLERS}"
)
SPOKEN_OF = LatePattern(
    rf"{RUNNER}|\btest runner|\bunder test\b"
    # A place where tests lie says nothing about how they are run.
    r"|\b(?:while|when|during|in)\s+(?:the\s+)?(?:unit\s+)?tests?\b(?![/.]\w)"
    r"|\btest (?:mode|environment)|テスト(?:実行)?(?:中|時|環境|モード|ランナー)",
    re.IGNORECASE | re.ASCII,
)


# A path that begins with a folder of tests, or one that is put together of such a part.
OF_TESTS = LatePattern(
    r"(?:[\"'`]|\.\./)(?:\.{1,2}/)*(?:tests?|__tests__)/[^\"'`\n]*"
    r"|/\s*[\"'](?:tests?|__tests__)[\"']"
    r"|\bjoin(?:path)?\([^()\n]*[\"'](?:tests?|__tests__)[\"']"
)
READS = LatePattern(
    r"\b(?:open|read_text|read_bytes|r?glob|iterdir|listdir|scandir|load|loads|import_module"
    r"|readFile(?:Sync)?|readdir(?:Sync)?|createReadStream|require|import|include_str|ReadFile)\b"
    r"|\b(?:cat|source|cp)\s"
)
ABOUT_TESTS = LatePattern(r"\b(?:tests?|specs?|fixtures?)\b(?![/.]\w)|テスト(?!/)", re.IGNORECASE)
# Where tests lie, that they hold, and that there are to be some: nothing that reads them.
TESTS_BESIDES = LatePattern(
    r"\b(?:with|add(?:ing)?|writ(?:e|ing)|includ(?:e|ing)|plus|and)\s+(?:\w+\s+){0,3}?tests?\b"
    r"|\btests?\s+(?:for (?:it|this|that)\s+)?(?:is|are|lies?|lives?)\s+(?:already\s+)?in\s+\S+"
    r"|\b(?:so that|until|make)\b[^;\n]*?\btests?\b[^;\n]*?\b(?:pass\w*|green|hold\w*)\b"
    r"(?: the tests)?"
    r"|テスト(?:コード|ケース)?(?:は|が|も|を)[^。\n]*?(?:あり|ある|追加|書|直|通|足|更新|緑)",
    re.IGNORECASE,
)
# A whole process ends well from here on, whoever fails in it.
ENDS_WELL = LatePattern(
    r"\bprocess\.(?:on|once)\(\s*[\"'`](?:uncaughtException|unhandledRejection)\b"
    r"|\bprocess\.exitCode\s*=\s*0\b|\bsys\.(?:excepthook|unraisablehook)\s*="
    r"|\bos\._exit\(\s*0?\s*\)|\batexit\.register\([^)\n]*_exit"
    r"|\btrap\s+(?:--\s+)?[\"']?[^\"'\n]*\bexit\s+0\b"
)
ABOUT_ENDINGS = LatePattern(
    r"\b(?:uncaught|unhandled|exceptions?|crash\w*|exit\w*|shut\w*|signals?|terminat\w*|errors?"
    r"|traps?|clean(?:ing|s|ed)?[ -]?up|handlers?)\b|例外|終了|エラー|シグナル|後始末|異常|落ち",
    re.IGNORECASE,
)


def deceiving(path: str, before: str | None, after: str | None, asked: str) -> Iterator[Dilution]:
    """What a file newly does because of its tests, unless it was asked to."""
    if after is None or not is_product_code(path):
        return
    added = added_lines([before], [after])
    if SPOKEN_OF.search(asked) is None and (found := SIGNS.search(added)):
        yield _made_for_tests("product_sees_tests", path, found[0])
    about_tests = ABOUT_TESTS.search(TESTS_BESIDES.sub(" ", asked)) is not None
    reads = not about_tests and READS.search(added) is not None
    if reads and (found := OF_TESTS.search(added)):
        yield _made_for_tests("product_reads_tests", path, found[0])
    if ABOUT_ENDINGS.search(asked) is None and (found := ENDS_WELL.search(added)):
        yield _made_for_tests("product_hides_failures", path, found[0])


def _made_for_tests(kind: DilutionKind, path: str, found: str) -> Dilution:
    return Dilution(kind=kind, path=path, detail=" ".join(found.split())[:80])
