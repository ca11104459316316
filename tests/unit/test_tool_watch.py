"""What is ended where a sandbox takes too much, and who never is."""

import pytest

from pm_orchestrator.adapters.sandboxes import tool_watch
from pm_orchestrator.adapters.sandboxes.held_limits import holders, limits_inside
from pm_orchestrator.adapters.sandboxes.tool_watch import SeenProcess, ToolWatch
from pm_orchestrator.ports.sandbox import SandboxSpec

MB = 1024


def process(pid: int, parent: int, megabytes: int, state: str = "S (sleeping)") -> SeenProcess:
    return SeenProcess(
        pid, f"State:\t{state}\nPPid:\t{parent}\nRssAnon:\t{megabytes * MB} kB\nName: a:b\n"
    )


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Who was ended; 1 is the tool server, 2 the zygote, 3 a supervisor."""
    gone: list[int] = []
    there = [
        process(1, 0, 500),
        process(2, 1, 500),
        process(3, 2, 500),
        process(10, 3, 30),
        process(11, 10, 50),
        process(12, 10, 20),
        process(13, 10, 900, "Z (zombie)"),
    ]
    monkeypatch.setattr(tool_watch, "_all", lambda: [p for p in there if p.pid not in gone])

    def end(each: SeenProcess) -> None:
        gone.append(each.pid)

    monkeypatch.setattr(tool_watch, "_end", end)
    return gone


def test_the_largest_goes_while_there_is_too_little_memory(ended: list[int]) -> None:
    watch = ToolWatch(60 * MB * 1024, 0, lambda: 2)
    assert watch.look()
    assert not watch.look()
    assert (ended, watch.starved) == ([11], 1)


def test_the_latest_go_where_there_are_too_many(ended: list[int]) -> None:
    watch = ToolWatch(0, 1, lambda: 2)
    assert watch.look()
    assert (ended, watch.starved) == ([11, 12], 0)


def test_who_takes_no_more_than_that_is_left_alone(ended: list[int]) -> None:
    assert not ToolWatch(100 * MB * 1024, 3, lambda: 2).look()
    assert not ToolWatch(0, 0, lambda: 2).look()
    assert ended == []


def test_one_process_may_have_taken_more_than_all_before_anybody_looked() -> None:
    watch = ToolWatch(60 * 1024, 0, lambda: 2)
    assert watch.is_too_much(61)
    assert not watch.is_too_much(60)
    assert not ToolWatch(0, 1, lambda: 2).is_too_much(61)


def test_a_limit_is_held_by_the_kernel_or_inside() -> None:
    every = holders(frozenset({"memory", "cpu", "pids"}), counted=True, cpus=1)
    assert set(every.values()) == {"control groups"}
    spec = SandboxSpec(name="x", memory_bytes=100, max_processes=7, cpus=1)
    inside = limits_inside(spec, every, {"RLIMIT_DATA": 100, "RLIMIT_NPROC": 7}, 1)
    each = {"RLIMIT_DATA": 200, "RLIMIT_NPROC": 7}
    assert (inside["limits"], inside["processes"], inside["cpus"]) == (each, 0, [])
    none = holders(frozenset(), counted=False, cpus=1)
    assert none == {"memory": "watcher", "cpu": "affinity", "processes": "watcher"}
    inside = limits_inside(spec, none, {"RLIMIT_DATA": 100}, 1)
    assert (inside["limits"], inside["memory"], inside["processes"]) == (
        {"RLIMIT_DATA": 200},
        100,
        7,
    )
    assert holders(frozenset(), counted=True, cpus=None)["processes"] == "rlimits"
