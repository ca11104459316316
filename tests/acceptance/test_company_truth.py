"""What is said about a company's run is so, in every place where it is said."""

import json

import msgspec
import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE, TRIPLE, TWO
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_company import Part

pytestmark = [pytest.mark.timeout(90), pytest.mark.unmeasured]

HEADINGS = (
    "Do two independent things:\n"
    "1. Update README.md so that its heading says Sums\n"
    "2. Update README.md so that its heading says Adding"
)
SUMS, ADDING = (
    Part(title=f"The {word} heading", body=f"sed -i 's/^# .*/# {word}/' README.md")
    for word in ("Sums", "Adding")
)


def test_a_conflict_is_not_done_anywhere(bench: CompanyBench) -> None:
    bench.company.plans(SUMS, ADDING)
    ran = bench.run(HEADINGS)
    assert ran.code == 2, ran.out + ran.err
    ((ticket, reason),) = ran.json["left_out"].items()
    assert reason["key"] == "merge_conflicts"
    (work,) = [work for work in ran.json["work"] if work["ticket_id"] == ticket]
    assert work["status"] != "success"
    assert work["errors"]
    (task,) = [task for task in ran.json["report"]["tasks"] if task["task_id"] == ticket]
    assert task["status"] != "COMPLETE"
    summary = (bench.run_folders()[0] / "summary.md").read_text("utf-8")
    assert ": success" not in next(line for line in summary.splitlines() if ticket in line)
    (page,) = [p for p in backlog(bench) if ticket in p.splitlines()[0]]
    assert "status: done" not in page


@pytest.mark.long
def test_a_conflict_is_not_shown_as_done(bench: CompanyBench) -> None:
    bench.company.plans(SUMS, ADDING)
    ran = bench("run", HEADINGS)
    assert ran.code == 2, ran.out + ran.err
    end = ran.out[ran.out.index("INCOMPLETE  run_001") :]
    done = "\n".join(line for line in end.splitlines() if "✓" in line)
    assert [part.title in done for part in (SUMS, ADDING)].count(True) == 1


@pytest.mark.parametrize("as_json", [pytest.param(True, marks=pytest.mark.long), False])
@pytest.mark.long
def test_uncommitted_changes_are_left_out_and_that_is_said(
    bench: CompanyBench, as_json: bool
) -> None:
    bench.repository.write("README.md", "# Calc\n\nA draft.\n")
    bench.repository.write("draft.txt", "mine\n")
    before = bench.worktree()
    bench.company.plans(DOUBLE)
    ran = bench.run(ONE) if as_json else bench("run", ONE)
    assert ran.code == 0, ran.out + ran.err
    assert bench.worktree() == before
    # Its path does not count: it has the name of the test in it.
    said = json.dumps(ran.json["notes"]) if as_json else ran.out.replace(str(bench.root), "")
    assert "uncommitted" in said or "not committed" in said
    assert not bench.kept("draft.txt")


@pytest.mark.long
def test_a_failure_in_the_middle_has_the_phase_of_the_middle(bench: CompanyBench) -> None:
    bench.company.plans(DOUBLE)
    bench.company.fails("status", status=400, after_turn=2)
    ran = bench("run", ONE)
    assert ran.code == 1, ran.out + ran.err
    assert bench("status", "--json").json["session"]["current_phase"] == "EXECUTION"


@pytest.mark.long
def test_the_backlog_says_what_is_done(bench: CompanyBench) -> None:
    bench.company.plans(DOUBLE, TRIPLE)
    ran = bench.run(TWO)
    assert ran.code == 0, ran.out + ran.err
    pages = backlog(bench)
    assert len(pages) == 2
    for page in pages:
        assert "status: done" in page
        assert "todo" not in page


@pytest.mark.long
def test_the_backlog_says_what_is_not_done(bench: CompanyBench) -> None:
    idle = msgspec.structs.replace(TRIPLE, body="true", commits=False)
    bench.company.plans(DOUBLE, idle)
    ran = bench.run(TWO)
    assert ran.code == 2, ran.out + ran.err
    by_title = {DOUBLE.title: True, idle.title: False}
    for page in backlog(bench):
        title = page.splitlines()[0].removeprefix("# ").partition(" ")[2]
        assert ("status: done" in page) is by_title[title], page


@pytest.mark.long
def test_every_line_of_the_git_log_is_one_object(bench: CompanyBench) -> None:
    strange = msgspec.structs.replace(
        DOUBLE,
        turns=(
            (("run_command", {"command": DOUBLE.body}),),
            (("git_commit", {"message": 'Two lines\n\nand a "quote", 日本語 \t and \x7f'}),),
        ),
    )
    bench.company.plans(strange)
    ran = bench.run(ONE)
    assert ran.code == 0, ran.out + ran.err
    lines_are_objects(bench)


def test_every_line_of_the_git_log_is_one_object_alone(
    bench: CompanyBench, claude: ClaudeScript
) -> None:
    ran = bench.run(ONE, "--solo", env=claude.does(DOUBLE.body))
    assert ran.code == 0, ran.out + ran.err
    lines_are_objects(bench)


def lines_are_objects(bench: CompanyBench) -> None:
    log = (bench.run_folders()[0] / "git.log").read_text("utf-8")
    lines = log.removesuffix("\n").split("\n")
    assert lines
    for line in lines:
        entry = json.loads(line)
        assert entry["argv"][0] == "git"


def backlog(bench: CompanyBench) -> list[str]:
    folder = bench.root / ".pm-orchestrator" / "workflows" / "backlog"
    return [path.read_text("utf-8") for path in sorted(folder.glob("*.md"))]
