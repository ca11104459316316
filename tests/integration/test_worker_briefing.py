"""What a worker is told and finds before it begins, with real git and a real sandbox."""

from pathlib import Path

import pytest

from pm_orchestrator.ports.executor import ExecutorTask
from pm_orchestrator.testing.benches.worker_bench import (
    COMMIT,
    ScriptedExecutor as Scripted,
    WorkerBench as Bench,
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


RULES = {
    "AGENTS.md": "Use tabs.\n",
    "CLAUDE.md": "Use tabs.\n",
    "lib/AGENTS.md": "x" * 30_000,
    "lib/deep/CLAUDE.md": "Read me.",
    "web/AGENTS.md": "Elsewhere.\n",
}


async def test_a_worker_is_told_the_rules_of_the_base_and_what_its_branch_holds(
    bench: Bench,
) -> None:
    bench.base = bench.project.commit("rules", **RULES)
    executor = Scripted(f"echo forged > AGENTS.md; echo b > b.txt; {COMMIT}")
    files = ("lib/deep/new.py",)
    first = await bench.attempt(executor, expected_files=files)
    told = executor.tasks[0].instruction
    assert "The project's AGENTS.md:\n<project>\nUse tabs.\n</project>" in told
    # The same words are not said twice, and what is too long says so.
    assert "CLAUDE.md:" not in told.replace("lib/deep/CLAUDE.md:", "")
    assert "more characters: read lib/AGENTS.md]" in told
    assert "- web/AGENTS.md" in told
    assert "> Do it, and more" in told
    assert "not the first attempt" not in told
    assert len(told) < 30_000
    later = Scripted("true")
    await bench.attempt(later, 2, start=first.commit)
    again = later.tasks[0].instruction
    assert "Use tabs." in again
    assert "forged" not in again
    assert "- work\n" in again
    assert "- b.txt (created)" in again


async def test_a_refused_command_is_in_the_log(bench: Bench) -> None:
    async def refuse(task: ExecutorTask) -> None:
        assert task.refused is not None
        await task.refused("vim a.txt")

    await bench.attempt(Scripted("true", refuse))
    assert "20260115-ab12-01 refused: vim a.txt" in bench.log("commands.log")


async def test_an_attempt_goes_on_from_what_an_unfinished_one_had_not_committed(
    bench: Bench,
) -> None:
    bench.base = bench.project.commit("more", **{"b.txt": "b\n", "c/d.txt": "d\n"})
    work = "echo new > new.txt; chmod +x new.txt; ln -s b.txt link; echo more >> b.txt; rm -r c"
    await bench.attempt(Scripted(work))
    look = Scripted(
        "git status --porcelain --untracked-files=all > .git/seen; test -x new.txt; test -L link;"
        " test ! -e c; test $(git log --oneline | wc -l) = 2; test ! -e .pm-in.bundle"
    )
    # One that was finished has left behind what it did not want.
    fresh = Scripted("test ! -e new.txt; test -e c/d.txt")
    await bench.attempt(fresh, 2)
    assert "in the workspace again" not in fresh.tasks[0].instruction
    goes_on = await bench.attempt(look, 3, goes_on=True)
    told = look.tasks[0].instruction
    assert "was ended before you said that it was done" in told
    assert "lies in the workspace again:\n- b.txt (modified)\n- c/d.txt (deleted)" in told
    assert "- new.txt (created)" in told
    assert goes_on.commit is None
    assert bench.show("uncommitted", "new.txt") == "new"


async def test_what_was_left_before_the_last_commit_is_not_laid_out(bench: Bench) -> None:
    await bench.attempt(Scripted("echo left > left.txt"))
    first = await bench.attempt(Scripted(f"echo b > b.txt; {COMMIT}"), 2)
    later = Scripted("test ! -e left.txt")
    await bench.attempt(later, 3, start=first.commit, goes_on=True)
    assert "in the workspace again" not in later.tasks[0].instruction
