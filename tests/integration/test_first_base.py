"""A task that goes on in the project directory is judged from where it began."""

import asyncio
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from pm_orchestrator.bootstrap.directory_watch import DirectoryWatches
from pm_orchestrator.runner.places.place import Seen
from pm_orchestrator.runner.places.workspace import LastLook
from pm_orchestrator.testing.benches.directory_bench import directory_bench
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.place_bench import PlaceBench
from pm_orchestrator.testing.contracts.place_contract import told

FILES = {
    "a.txt": "a\n",
    "b.txt": "b is a longer text\n",
    "sub/c.txt": "c\n",
    "run.sh": "#!/bin/sh\n",
    ".gitignore": "build/\n",
    "build/out.txt": "out\n",
}
UNTRACKED = "mine.log"
"""The user's, and never committed."""
Change = tuple[str, str, str | None]


async def opened(folder: Path, *, with_git: bool = True) -> PlaceBench:
    bench = await directory_bench(folder, FILES, with_git=with_git)
    (bench.app.paths.root / UNTRACKED).write_text("mine\n", encoding="utf-8")
    return bench


def forget(bench: PlaceBench) -> None:
    """What another process would not know."""
    watches = bench.app.watched
    assert isinstance(watches, DirectoryWatches)
    watches.last_look = LastLook()
    vars(watches).pop("cache", None)


async def after(bench: PlaceBench, *scripts: str, same_process: bool = False) -> Seen:
    """What is seen after the last of several runs of the task."""
    seen: Seen | None = None
    for script in scripts:
        if not same_process:
            forget(bench)
        async with bench.run() as stage:
            await stage.begin()
            await stage.work(script)
            seen = await stage.look()
    await bench.leave()
    assert seen is not None
    return seen


CASES: dict[str, tuple[str, str, set[Change]]] = {
    "nothing more": ("echo x > new.txt", "true", {("new.txt", "created", None)}),
    "both count": (
        "echo x > new.txt; echo more >> a.txt",
        "echo y > sub/d.txt",
        {
            ("new.txt", "created", None),
            ("a.txt", "modified", None),
            ("sub/d.txt", "created", None),
        },
    ),
    "renamed": ("mv b.txt z.txt", "true", {("z.txt", "renamed", "b.txt")}),
    "renamed twice": ("mv b.txt y.txt", "mv y.txt z.txt", {("z.txt", "renamed", "b.txt")}),
    "renamed and back": ("mv b.txt y.txt", "mv y.txt b.txt", set()),
    "deleted": (
        "rm a.txt sub/c.txt",
        "true",
        {("a.txt", "deleted", None), ("sub/c.txt", "deleted", None)},
    ),
    "deleted and made again": ("rm a.txt", "echo other > a.txt", {("a.txt", "modified", None)}),
    "deleted and as it was": ("rm a.txt", "echo a > a.txt", set()),
    "made and taken away": ("echo x > new.txt", "rm new.txt", set()),
    "changed and put back": ("echo more >> a.txt", "echo a > a.txt", set()),
    "linked": (
        "ln -s a.txt link; rm sub/c.txt; ln -s ../a.txt sub/c.txt",
        "true",
        {("link", "created", None), ("sub/c.txt", "modified", None)},
    ),
    "link turned elsewhere": ("ln -s a.txt link", "ln -sf b.txt link", {("link", "created", None)}),
    "file in the place of a link": (
        "ln -s a.txt link",
        "rm link; echo x > link",
        {("link", "created", None)},
    ),
    "directory in the place of a file": (
        "rm a.txt; mkdir a.txt; echo x > a.txt/x",
        "true",
        {("a.txt", "deleted", None), ("a.txt/x", "created", None)},
    ),
    "permissions": ("chmod +x run.sh; chmod 600 a.txt", "true", set()),
    "permissions and content": (
        "chmod +x run.sh",
        "echo true >> run.sh",
        {("run.sh", "modified", None)},
    ),
    "ignored": ("echo more >> build/out.txt; echo x > build/new.txt", "rm -r build", set()),
    "a file of the user is hidden": (
        "echo '*.log' >> .gitignore",
        "true",
        {(".gitignore", "modified", None)},
    ),
    "a hidden file of the user is changed": (
        "echo '*.log' >> .gitignore",
        f"echo more >> {UNTRACKED}",
        {(".gitignore", "modified", None), (UNTRACKED, "modified", None)},
    ),
    "what was hidden is shown": (
        "echo '# nothing' > .gitignore",
        "true",
        {(".gitignore", "modified", None)},
    ),
    "odd names": (
        "echo x > 'a b\u00e9.txt'; printf x > \"$(printf 'n\\nl')\"",
        "true",
        {("a b\u00e9.txt", "created", None), ("n\nl", "created", None)},
    ),
}

SOME = {"changed and put back", "deleted"}


def in_every_way() -> Iterator[object]:
    """Every case with git in another process, as it mostly is, and some in each other way."""
    for case, with_git, same_process in product(CASES, (True, False), (True, False)):
        usual = with_git and not same_process
        ways = ("git" if with_git else "no git", "same process" if same_process else "another")
        marks = () if usual or case in SOME else pytest.mark.long
        yield pytest.param(case, with_git, same_process, id="-".join((case, *ways)), marks=marks)


@pytest.mark.parametrize(("case", "with_git", "same_process"), list(in_every_way()))
async def test_the_first_run_counts_in_the_second(
    tmp_path: Path, case: str, with_git: bool, same_process: bool
) -> None:
    first, second, expected = CASES[case]
    if not with_git and (".gitignore" in first or "build" in first):
        # Without git nothing says what is ignored, so everything counts.
        first, second, expected = "true", "echo x > new.txt", {("new.txt", "created", None)}
    bench = await opened(tmp_path, with_git=with_git)
    seen = await after(bench, first, second, same_process=same_process)
    assert told(seen.changes) == expected
    assert seen.comparable


async def test_contents_from_before_are_those_of_the_first_run(tmp_path: Path) -> None:
    bench = await opened(tmp_path)
    await bench_work(bench, "echo changed > a.txt; rm b.txt; echo x > new.txt")
    async with bench.run() as stage:
        await stage.place.open()
        names = ("a.txt", "b.txt", "new.txt")
        # Before anybody is called, and after.
        for _ in range(2):
            read = [await stage.place.read_base(name) for name in names]
            assert read == [b"a\n", FILES["b.txt"].encode(), None]
            await stage.place.begin(())
        assert not await stage.place.exists("new.txt")
        assert await stage.place.exists("b.txt")
    await bench.leave()


def private(folder: Path) -> Path:
    """Where trees are kept for a project without a repository."""
    (found,) = (path for path in folder.rglob("*.private") if path.is_dir())
    return found


@pytest.mark.parametrize("with_git", [True, False], ids=["git", "no git"])
async def test_every_run_saves_what_it_finds(tmp_path: Path, with_git: bool) -> None:
    """Undo goes back to before this task, and not to before the one before it."""
    bench = await opened(tmp_path, with_git=with_git)
    for number in range(3):
        async with bench.run() as stage:
            await stage.begin()
            (ref,) = await stage.place.put_aside()
            before = await stage.place.look(None, ())
            assert {c.path for c in before.changes} == ({"a.txt"} if number else set())
            repository = GitProject.at(stage.project if with_git else private(tmp_path))
            assert repository.git("show", f"{ref}:a.txt") == (str(number) if number else "a")
            await stage.work(f"echo {number + 1} > a.txt")
            await stage.look()
    await bench.leave()


async def bench_work(bench: PlaceBench, script: str) -> None:
    async with bench.run() as stage:
        await stage.begin()
        await stage.work(script)


async def test_a_third_run_is_judged_from_the_first_base_too(tmp_path: Path) -> None:
    bench = await opened(tmp_path)
    # Names of runs get longer one day; the oldest is still the oldest.
    for number in range(1, 999):
        if number in {1, 998}:
            (bench.app.paths.runs / f"run_{number:03d}").mkdir(parents=True)
    seen = await after(bench, "echo 1 > one", "echo 2 > two", "echo 3 > three")
    assert {change.path for change in seen.changes} == {"one", "two", "three"}


async def test_what_cannot_be_compared_proves_less(tmp_path: Path) -> None:
    """The first tree is in the private repository, the second one in the user's."""
    bench = await opened(tmp_path, with_git=False)
    seen = await after(bench, "echo 1 > one; git init -q .", "echo 2 > two")
    assert told(seen.changes) == {("two", "created", None)}


STEPS = st.lists(
    st.sampled_from(
        [
            "echo more >> a.txt",
            "rm -f a.txt",
            "mv -f b.txt z.txt 2>/dev/null || true",
            "mv -f z.txt b.txt 2>/dev/null || true",
            "rm -rf sub",
            "mkdir -p sub; echo c > sub/c.txt",
            "rm -f link; ln -s b.txt link",
            "rm -f link; echo text > link",
            "chmod 755 b.txt 2>/dev/null || true",
            "echo '*.log' >> .gitignore",
            "echo '# nothing' > .gitignore",
            "echo x > build/x.txt",
            f"echo more >> {UNTRACKED}",
        ]
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.long
@pytest.mark.timeout(180)
@settings(max_examples=12)
@given(steps=STEPS, data=st.data())
def test_two_runs_are_judged_as_one(steps: list[str], data: st.DataObject) -> None:
    """R-15 Authority: where a task was cut in two makes no difference to what it changed."""
    cut = data.draw(st.integers(0, len(steps)))
    same = data.draw(st.booleans())
    whole, halves = (
        ["; ".join(steps)],
        ["; ".join(steps[:cut]) or "true", "; ".join(steps[cut:]) or "true"],
    )

    async def judge(scripts: list[str]) -> set[Change]:
        with tempfile.TemporaryDirectory() as folder:
            bench = await opened(Path(folder))
            return told((await after(bench, *scripts, same_process=same)).changes)

    assert asyncio.run(judge(halves)) == asyncio.run(judge(whole))


def test_the_bench_has_its_files(tmp_path: Path) -> None:
    bench = asyncio.run(opened(tmp_path))
    project = GitProject.at(bench.app.paths.root)
    assert set(project.git("ls-files").split()) == set(FILES) - {"build/out.txt"}
