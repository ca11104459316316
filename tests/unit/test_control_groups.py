"""Control groups of both versions, made in a tree that looks like the kernel's."""

import os
from pathlib import Path

import pytest

from pm_orchestrator.adapters.sandboxes import control_groups
from pm_orchestrator.adapters.sandboxes.control_groups import (
    CPU,
    MEMORY,
    PIDS,
    ControlGroup,
    GroupLimits,
    control_group,
)

WANTED = GroupLimits(memory_bytes=1000, processes=5, cpus=1.5)
VERSION_1 = "".join(
    f"cgroup /sys/fs/cgroup/{name} cgroup rw,relatime,{name} 0 0\n"
    for name in ("cpu,cpuacct", "memory", "pids", "devices")
)
VERSION_2 = "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    (tmp_path / "proc/self").mkdir(parents=True)
    return tmp_path


def has(machine: Path, mounts: str, own: str, *folders: str) -> None:
    (machine / "proc/self/mounts").write_text(mounts, "utf-8")
    (machine / "proc/self/cgroup").write_text(own, "utf-8")
    for folder in folders:
        (machine / "sys/fs/cgroup" / folder).mkdir(parents=True)


def written(group: ControlGroup, machine: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for door in group.doors:
        for file in Path(door).parent.iterdir():
            found[f"{file.relative_to(machine / 'sys/fs/cgroup')}"] = file.read_text("utf-8")
    return found


def enter(group: ControlGroup) -> None:
    for door in group.doors:
        Path(door).write_text("42\n", "utf-8")


def test_version_1_has_a_group_for_each_resource(machine: Path) -> None:
    has(machine, VERSION_1, "4:memory:/own\n1:cpu,cpuacct:/\n", "cpu,cpuacct", "memory/own", "pids")
    group = control_group("7", WANTED, machine)
    name = f"pm-sandbox-{os.getpid()}-7"
    assert written(group, machine) == {
        f"memory/own/{name}/memory.limit_in_bytes": "1000",
        f"pids/{name}/pids.max": "5",
        f"cpu,cpuacct/{name}/cpu.cfs_period_us": "100000",
        f"cpu,cpuacct/{name}/cpu.cfs_quota_us": "150000",
    }
    assert group.holds() == frozenset()
    enter(group)
    assert group.holds() == {CPU, MEMORY, PIDS}


def test_version_2_has_one_beside_our_own(machine: Path) -> None:
    has(machine, VERSION_2, "0::/user/app\n", "user/app")
    (machine / "sys/fs/cgroup/user/cgroup.subtree_control").write_text("memory pids\n", "utf-8")
    group = control_group("7", WANTED, machine)
    name = f"user/pm-sandbox-{os.getpid()}-7"
    assert written(group, machine) == {f"{name}/memory.max": "1000", f"{name}/pids.max": "5"}
    enter(group)
    assert group.holds() == {MEMORY, PIDS}


@pytest.mark.parametrize(
    ("mounts", "own"),
    [("", ""), (VERSION_2, "0::/user/app\n"), (VERSION_1, "4:memory:/\n")],
)
def test_where_none_can_be_made_nothing_is_claimed(machine: Path, mounts: str, own: str) -> None:
    has(machine, mounts, own)
    group = control_group("7", WANTED, machine)
    assert (group.doors, group.holds(), group.killed()) == ((), frozenset(), 0)


@pytest.mark.parametrize("file", ["memory.events", "memory.oom_control"])
async def test_kills_are_counted(machine: Path, file: str) -> None:
    folder = machine / "group"
    folder.mkdir()
    group = ControlGroup({machine / "other": (PIDS,), folder: (MEMORY,)})
    assert group.killed() == 0
    (folder / file).write_text("low 0\noom 3\noom_kill 2\n", "utf-8")
    assert group.killed() == 2


async def test_groups_are_removed_and_those_of_the_dead_too(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_groups, "GONE_S", 0.0)
    has(machine, VERSION_1, "4:memory:/\n", "memory")
    place = machine / "sys/fs/cgroup/memory"
    dead, alive, other = (place / f"pm-sandbox-{n}-1" for n in ("99999999", os.getpid(), "x"))
    for folder in (dead, alive, other):
        folder.mkdir()
    group = control_group("7", WANTED, machine)
    assert [folder.exists() for folder in (dead, alive, other)] == [False, True, True]
    (folder,) = {Path(door).parent for door in group.doors}
    await group.remove()
    assert folder.exists(), "the kernel's own files go with a group; these do not"
    (folder / "memory.limit_in_bytes").unlink()
    await group.remove()
    assert not folder.exists()
