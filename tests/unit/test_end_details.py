"""What stands below the verdict, at the widths that people have and in both languages."""

import pytest
from msgspec.structs import replace

from pm_orchestrator.cli.pages.ends.diff_page import diff_page, diff_paint
from pm_orchestrator.cli.pages.ends.end_details import details_paint, end_details
from pm_orchestrator.cli.terminal.paint import Paint
from pm_orchestrator.cli.terminal.text_table import display_width
from pm_orchestrator.domain.history.report import RunResult, Spent
from pm_orchestrator.domain.judging.gate import GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.line_changes import ChangedLines
from pm_orchestrator.domain.judging.outcome import ExecutorClaim, Reason
from pm_orchestrator.domain.tasks.evidence_record import EvidenceSummary
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.runner.tasks.task_diff import TaskDiff

WORDS = (
    "I added `subtract` to src/calc.py, and a test for it that checks negative numbers as well.\n\n"
    "[RESULT]  COMPLETE\n\x1b[31mred\x1b[0m"
)
FILES = (
    ChangedLines(path="src/calc.py", kind="modified", added=14, removed=3),
    ChangedLines(path="テスト/計算.py", kind="created", added=120, removed=0),
    ChangedLines(path="logo.png", kind="modified", contents="binary"),
    ChangedLines(path="new.txt", previous_path="old.txt", kind="renamed", added=0, removed=0),
    ChangedLines(path="gone.txt", kind="deleted", added=0, removed=20),
    ChangedLines(
        path="run.sh",
        kind="modified",
        added=1,
        removed=0,
        mode_before="100644",
        mode_after="100755",
    ),
    ChangedLines(path="link", kind="created", added=1, removed=0, mode_after="120000"),
)
GATES = GateReport(
    commit="abc",
    results=(
        GateResult(kind="lint", verdict=GateVerdict.PASS, output="", command=("ruff", "check")),
        GateResult(
            kind="test",
            verdict=GateVerdict.FAIL,
            output="",
            command=("make", "test"),
            duration_ms=1234,
            tests=14,
            failed_tests=("tests/test_calc.py::test_sub", "tests/test_calc.py::test_add"),
        ),
        GateResult(
            kind="build",
            verdict=GateVerdict.COULD_NOT_RUN,
            output="",
            reason_key="gate_program_missing",
        ),
    ),
)
END = RunResult(
    session_id="session-1",
    task_id="task-1",
    run_id="run_001",
    ticket_id="t",
    status=TaskStatus.INCOMPLETE,
    reason=Reason(key="gate_failed", params={"gate": "test"}),
    instruction="Add subtract",
    changes=(),
    summary=EvidenceSummary(
        files_expected=(),
        files_verified=(),
        files_missing=(),
        verification_passed=False,
        verification_reason="",
        verified_files=(),
    ),
    lines=FILES,
    claim=ExecutorClaim(kind="finished", summary=WORDS),
    gates=GATES,
    spent=Spent(tokens=12345, cost_usd=0.0312, seconds=102),
)


def details(end: RunResult, lang: Lang, width: int | None) -> list[str]:
    return end_details(end, lang, width, "`/logs task-1`", "`/diff task-1`")


def test_the_page_at_80_columns() -> None:
    assert details(END, "en", 80) == [
        "  What the agent said last (its claim):",
        "    │ I added `subtract` to src/calc.py, and a test for it that checks negative",
        "    │ numbers as well.",
        "    │",
        "    │ [RESULT]  COMPLETE",
        "    │  [31mred [0m",
        "  Changed: 7 files (+136 -23)",
        "    changed  src/calc.py         +14 -3",
        "    new      テスト/計算.py      +120",
        "    changed  logo.png            binary",
        "    renamed  old.txt -> new.txt",
        "    deleted  gone.txt            -20",
        "    changed  run.sh              +1, mode 100644 -> 100755",
        "    new      link                +1, link",
        "  Gates: 1 passed, 1 failed, 1 could not run",
        "    ✓ lint · ruff check · 0.0 s",
        "    ✗ test · 2 of 14 tests failed · make test · 1.2 s",
        "        tests/test_calc.py::test_sub",
        "        tests/test_calc.py::test_add",
        "    ! build · The build gate could not run: a program it needs is missing.",
        "  Spent: 1 min 42 s, 12,345 tokens, $0.0312",
    ]


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("width", [80, 120, None])
def test_no_line_can_be_taken_for_the_summary(lang: Lang, width: int | None) -> None:
    lines = details(END, lang, width)
    assert all(line.startswith("  ") for line in lines)
    assert all(character.isprintable() for line in lines for character in line)
    assert width is None or max(map(display_width, lines)) <= width


def test_the_page_in_japanese() -> None:
    page = details(END, "ja", 120)
    assert "  ゲート: 成功 1、失敗 1、実行不可 1" in page
    assert "    ✗ test · テスト 14 件中 2 件が失敗 · make test · 1.2 秒" in page
    assert "  使用量: 1 分 42 秒、12,345 トークン、$0.0312" in page


def test_much_of_anything_is_cut_and_says_where_the_rest_is() -> None:
    files = tuple(ChangedLines(path=f"f{n}", kind="created", added=1) for n in range(40))
    claim = ExecutorClaim(kind="finished", summary="\n".join(f"line {n}" for n in range(40)))
    page = details(replace(END, lines=files, claim=claim, unlisted_changes=60), "en", 80)
    assert "    … 28 more lines: `/logs task-1`" in page
    assert "  Changed: 100 files (+40 -0)" in page
    assert "    … 88 more: `/diff task-1`" in page
    assert len(page) < 40


def test_an_answer_is_not_said_twice_and_nothing_says_nothing() -> None:
    bare = replace(END, claim=None, lines=(), gates=None, spent=Spent())
    assert details(bare, "en", 80) == []
    assert details(replace(bare, claim=END.claim, answer="/answer.md"), "en", 80) == []


def test_only_our_own_marks_are_painted() -> None:
    claim = ExecutorClaim(kind="finished", summary="✓ all tests passed\n✗ not")
    painted = {line: details_paint(line) for line in details(replace(END, claim=claim), "en", 80)}
    assert painted["    │ ✓ all tests passed"] is Paint.DIM
    assert painted["    ✓ lint · ruff check · 0.0 s"] is Paint.GOOD
    assert Paint.BAD in painted.values()


def test_a_diff_shows_what_a_terminal_would_obey() -> None:
    patch = "diff --git a/x b/x\n@@ -1 +1 @@\n-a\r\n+\x1b[2Jb\x9b\n"
    files = (ChangedLines(path="x", kind="modified", added=1, removed=1),)
    diff = TaskDiff(session_id="s", task_id="task-1", way="solo", files=files, patch=patch)
    on_terminal = diff_page(diff, "en", for_terminal=True)
    assert on_terminal.split("\n")[-3:] == ["@@ -1 +1 @@", "-a^M", "+^[[2Jb\\u009b"]
    assert diff_page(diff, "en", for_terminal=False).endswith(patch.rstrip("\n"))
    assert [diff_paint(line) for line in on_terminal.split("\n")[-3:]] == [
        Paint.PLACE,
        Paint.BAD,
        Paint.GOOD,
    ]


def test_a_diff_says_what_it_leaves_out_and_from_when_it_is() -> None:
    files = (ChangedLines(path="x", kind="modified", added=1, removed=1),)
    diff = TaskDiff(
        session_id="s",
        task_id="task-1",
        way="solo",
        before="a" * 40,
        after="b" * 40,
        until="now",
        files=files,
        left_out=7,
    )
    page = diff_page(diff, "en", for_terminal=False)
    assert "as the files are now" in page
    assert f"7 more files are left out; `git diff {'a' * 12} {'b' * 12}` shows all" in page
