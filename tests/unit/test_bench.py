"""`bench`: what is measured, how it is shown, and that a slow product fails it."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.bench import checks
from pm_orchestrator.cli.bench.bench_place import BenchPlace, Measure
from pm_orchestrator.cli.bench.cpu import cpu_seconds
from pm_orchestrator.cli.bench.disk import counted_syncs, raw_writes, without_waiting
from pm_orchestrator.cli.bench.history import history
from pm_orchestrator.cli.bench.ratios import WARM_UP, Comparison, Ratio, measure as measure_ratio
from pm_orchestrator.cli.commands.setup import bench
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.tasks.status import EXIT_ERROR

FIELDS = {"name", "yardstick", "ours_ms", "yardstick_ms", "ratio", "allowed"}


def measure(name: str, ratio: float) -> Measure:
    async def measured(place: BenchPlace) -> list[Ratio]:
        place.tell(1, 2)
        found = Ratio(
            name=name,
            yardstick="stick",
            ours_ms=10 * ratio,
            yardstick_ms=10,
            ratio=ratio,
            allowed=4,
        )
        return [found]

    return measured


def _true(_: object) -> bool:
    return True


def run_bench(
    monkeypatch: pytest.MonkeyPatch, measures: dict[str, Measure], arguments: Sequence[str] = ()
) -> tuple[int, str]:
    monkeypatch.setattr(bench, "MEASURES", measures)
    ran = CliRunner().invoke(bench.command, list(arguments), standalone_mode=False)
    code = ran.return_value
    assert isinstance(code, int), ran.output
    return code, ran.output


def test_a_product_within_its_limits_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out = run_bench(monkeypatch, {"a": measure("a", 3.99), "b": measure("b", 4.0)})
    assert code == 0
    assert out.splitlines() == [
        "✓ a: 3.99 × stick (at most 4 ×; 39.9 ms against 10.0 ms)",
        "✓ b: 4.00 × stick (at most 4 ×; 40.0 ms against 10.0 ms)",
    ]


def test_one_measure_that_is_too_slow_fails_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out = run_bench(monkeypatch, {"a": measure("a", 4.01), "b": measure("b", 1.0)})
    assert code == EXIT_ERROR
    assert "✗ a: 4.01" in out
    assert "✓ b: 1.00" in out


def test_programs_get_the_same_records_and_the_same_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow: dict[str, Measure] = {"a": measure("a", 1.0), "b": measure("b", 9.0)}
    code, out = run_bench(monkeypatch, slow, ["--json"])
    assert code == EXIT_ERROR
    records = json.loads(out)
    assert [r["name"] for r in records] == ["a", "b"]
    assert all(set(record) == FIELDS for record in records)


def test_one_measure_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    measures = {"start-up": measure("a", 9.0), "evidence": measure("b", 1.0)}
    code, out = run_bench(monkeypatch, measures, ["--only", "evidence"])
    assert code == 0
    assert out.startswith("✓ b")


def test_a_person_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pm_orchestrator.cli.terminal.screen.Screen.is_terminal", _true)
    _, out = run_bench(monkeypatch, {"a": measure("a", 1.0)}, ["--lang", "ja"])
    assert "a を計測中…" in out
    assert "履歴タスク 2 件中 1 件" in out


async def test_medians_are_taken_in_turns_after_a_warm_up() -> None:
    now = 0.0
    order: list[str] = []
    costs = {"ours": iter([9.0] * WARM_UP + [2.0, 50.0, 4.0]), "plain": iter([1.0] * 5)}

    async def work(kind: str) -> None:
        nonlocal now
        order.append(kind)
        now += next(costs[kind])

    what = Comparison(name="n", yardstick="y", allowed=4, rounds=3)
    found = await measure_ratio(what, lambda: work("ours"), lambda: work("plain"), lambda: now)
    assert order == ["ours", "plain"] * 5
    assert (found.ours_ms, found.yardstick_ms, found.ratio) == (4000, 1000, 4)
    assert found.holds


def test_every_wait_for_the_disk_is_counted_and_made(tmp_path: Path) -> None:
    real = os.fsync
    with counted_syncs() as counted:
        raw_writes(tmp_path, 3, 7)
    assert counted.made == 3
    assert [p.stat().st_size for p in tmp_path.iterdir()] == [7, 7, 7]
    assert os.fsync is real


def test_a_history_waits_for_no_disk(tmp_path: Path) -> None:
    real = os.fsync
    with counted_syncs() as counted, without_waiting():
        raw_writes(tmp_path, 2, 1)
    assert counted.made == 0
    assert os.fsync is real


async def test_the_cpu_of_whoever_leaves_its_parent_counts(tmp_path: Path) -> None:
    await init_at(tmp_path, adopt=False)
    environment = msgspec.structs.replace(read_environment(), state_home=tmp_path / "state")
    app = await open_project(environment, tmp_path)
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    daemon = f"import os\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n  exec({burn!r})"
    used = await cpu_seconds(app, (sys.executable, "-c", daemon), environment.variables)
    assert 0.3 <= used < 3


async def test_a_program_that_fails_is_not_measured(tmp_path: Path) -> None:
    await init_at(tmp_path, adopt=False)
    environment = msgspec.structs.replace(read_environment(), state_home=tmp_path / "state")
    app = await open_project(environment, tmp_path)
    with pytest.raises(PmError, match="no time"):
        await cpu_seconds(app, (sys.executable, "-c", "exit('no time')"), environment.variables)


def bench_place(folder: Path) -> BenchPlace:
    return BenchPlace(
        folder=folder,
        common=folder,
        histories={},
        environment=read_environment(),
        tell=lambda done, of: None,
    )


@pytest.mark.long
async def test_work_whose_checks_are_measured_completes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, quick in {"MODULES": 3, "WAITS_S": 0, "TURNS": 1}.items():
        monkeypatch.setattr(checks, name, quick)
    found = await checks.measure_checks(bench_place(tmp_path))
    assert [ratio.allowed for ratio in found] == [1.3, 2.5, 2.5]


async def test_a_suite_that_is_red_is_no_yardstick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "MAKEFILE", "test:\n\t@echo broken >&2; false\n")

    async def no_task(*_: object) -> None:
        return

    monkeypatch.setattr(checks, "run_instant_task", no_task)
    with pytest.raises(PmError, match="broken"):
        await checks.measure_checks(bench_place(tmp_path))


async def test_a_history_is_made_once_and_grows(tmp_path: Path) -> None:
    place = bench_place(tmp_path)
    made = await history(place, "short", 2)
    again = await history(place, "short", 5)
    assert again is made
    assert len(made.opened.book.entries(made.session_id)) == 2
