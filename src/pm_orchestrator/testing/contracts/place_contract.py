"""What every place promises, as tests; the same agent works in each of them.

A new place subclasses `PlaceContract` and gives a bench over the project `FILES`.
"""

from collections.abc import AsyncGenerator

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.effect import Standing
from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.runner.places.place import Place, TreeEdit
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.place_bench import PlaceBench, Stage

FILES = {
    "keep.txt": "keep\n",
    "change.txt": "one\n",
    "drop.txt": "drop\n",
    "move.txt": "a file that is moved\n" * 5,
    "sub/inner.txt": "inner\n",
    "marker.txt": "base\n",
    "odd näme.txt": "odd\n",
}
"""What is there before the task."""
WORK = (
    "echo two > change.txt; rm drop.txt; mv move.txt moved.txt; mkdir -p new/deep;"
    " echo new > new/deep/file.txt; echo delivered > marker.txt; ln -s keep.txt link.txt"
)
CHANGES = {
    ("change.txt", "modified", None),
    ("drop.txt", "deleted", None),
    ("moved.txt", "renamed", "move.txt"),
    ("new/deep/file.txt", "created", None),
    ("marker.txt", "modified", None),
    ("link.txt", "created", None),
}
ON_MARKER = Gate(kind="test", argv=("sh", "-c", "cat marker.txt; pwd"), source="a test")
SPOILING = Gate(
    kind="lint",
    argv=("sh", "-c", "cat marker.txt; echo spoiled > marker.txt; rm keep.txt; echo x > litter"),
    source="a test",
)


def told(changes: tuple[FileChange, ...]) -> set[tuple[str, str, str | None]]:
    """What counts of changes here."""
    return {(change.path, change.kind, change.previous_path) for change in changes}


async def before(place: Place) -> dict[str, bytes | None]:
    """The contents from before the task."""
    return {name: await place.read_base(name) for name in (*FILES, "new/deep/file.txt")}


class PlaceContract:
    """Override `bench`: a project whose files are `FILES`, in a repository with one commit."""

    @pytest.fixture
    async def bench(self) -> PlaceBench:
        raise NotImplementedError

    @pytest.fixture
    async def stage(self, bench: PlaceBench) -> AsyncGenerator[Stage]:
        async with bench.run() as stage:
            await stage.begin()
            yield stage
        await bench.leave()

    async def test_what_was_there_before_stays_readable(self, stage: Stage) -> None:
        place = stage.place
        were = {name: text.encode() for name, text in FILES.items()} | {"new/deep/file.txt": None}
        assert await before(place) == were
        listing = await place.listing()
        assert set(FILES) <= set(listing)
        await stage.work(WORK)
        assert await before(place) == were
        assert await place.listing() == listing

    async def test_folders_can_be_listed_as_they_were(self, bench: PlaceBench) -> None:
        top = {name.partition("/")[0] + "/" * ("/" in name) for name in FILES}
        deep = next(name for name in FILES if "/" in name)
        folder, _, name = deep.rpartition("/")
        for _ in range(2):
            async with bench.run() as stage:
                await stage.place.open()
                assert top <= set(await stage.place.names_in(""))
                assert name in await stage.place.names_in(f"{folder}/")
                assert await stage.place.names_in("new/") == ()
                await stage.place.begin(())
                await stage.work("mkdir -p new; echo x > new/file.txt")
                assert name in await stage.place.names_in(f"{folder}/")
                assert await stage.place.names_in("new/") == ()
                assert await stage.place.can_run(("sh", "-c", "true"))
                assert not await stage.place.can_run(("no-such-program-here",))
                assert not await stage.place.can_run(("python3", "-m", "no_such_module"))
        await bench.leave()

    async def test_what_exists_is_what_was_there_before(self, stage: Stage) -> None:
        there = ("keep.txt", "drop.txt", "sub", "sub/inner.txt", "odd näme.txt")
        absent = ("new", "new/deep/file.txt", "moved.txt", "no.txt", "sub/no.txt", "su")
        for _ in range(2):
            assert [name for name in there if not await stage.place.exists(name)] == []
            assert [name for name in absent if await stage.place.exists(name)] == []
            await stage.work("mkdir -p new/deep; echo x > new/deep/file.txt; rm -f drop.txt")

    async def test_a_look_reports_every_change(self, stage: Stage) -> None:
        await stage.work(WORK)
        seen = await stage.look("new/deep/file.txt", "drop.txt", "never.txt", "link.txt")
        assert told(seen.changes) == CHANGES
        assert seen.comparable
        assert seen.absent == {"drop.txt", "never.txt"}

    async def test_nothing_done_is_no_change(self, stage: Stage) -> None:
        await stage.work("touch keep.txt")
        seen = await stage.look("keep.txt")
        assert (seen.changes, seen.absent) == ((), frozenset())

    async def test_one_tree_has_one_name(self, stage: Stage) -> None:
        await stage.work("echo two > change.txt")
        first, again = await stage.look(), await stage.look("keep.txt")
        assert first.tree == again.tree
        await stage.work("echo three > change.txt")
        assert (await stage.look()).tree != first.tree

    async def test_a_second_attempt_adds_to_the_first(self, stage: Stage) -> None:
        await stage.work("echo two > change.txt; echo x > first.txt")
        await stage.work("echo y > second.txt; rm first.txt")
        seen = await stage.look()
        assert told(seen.changes) == {
            ("change.txt", "modified", None),
            ("second.txt", "created", None),
        }

    async def test_what_is_there_now_can_be_read(self, stage: Stage) -> None:
        await stage.work(WORK)
        seen = await stage.look()
        read = {
            name: await stage.place.read_now(seen, name)
            for name in ("change.txt", "moved.txt", "drop.txt", "new", "keep.txt", "link.txt")
        }
        assert read == {
            "change.txt": b"two\n",
            "moved.txt": FILES["move.txt"].encode(),
            "drop.txt": None,
            "new": None,
            "keep.txt": b"keep\n",
            "link.txt": None,
        }

    async def test_a_gate_runs_on_what_was_delivered_and_on_what_was_there(
        self, stage: Stage
    ) -> None:
        await stage.work(WORK)
        judged = await stage.place.judged(await stage.look())
        assert (await judged.run(ON_MARKER)).stdout.startswith(b"delivered\n")
        on_base = await judged.run_on_base(ON_MARKER)
        assert on_base.result is not None, on_base.why
        assert on_base.result.stdout.startswith(b"base\n")
        assert await judged.tidy() == ((), ())

    async def test_a_gate_runs_on_trees_that_nobody_delivered(self, stage: Stage) -> None:
        shows = "cat change.txt drop.txt marker.txt sub/inner.txt extra; ls"
        gate = Gate(kind="test", argv=("sh", "-c", f"{shows} 2>/dev/null"), source="a test")
        await stage.work(WORK)
        seen = await stage.look()
        judged = await stage.place.judged(seen)
        assert {"moved.txt", "new/deep/file.txt"} <= set(await judged.files())
        back = tuple(c for c in seen.changes if c.path in {"drop.txt", "marker.txt", "link.txt"})
        contents = {"sub/inner.txt": b"", "extra": b"extra\n"}
        found = await judged.run_edited(gate, TreeEdit(taken_back=back, contents=contents))
        assert found is not None
        *texts, names = found.stdout.decode().split("\n", 4)
        assert texts == ["two", "drop", "base", "extra"]
        assert not {"link.txt", "move.txt"} & set(names.split())
        assert (await judged.run(ON_MARKER)).stdout.startswith(b"delivered\n")

    async def test_a_gate_judges_no_file_that_was_not_delivered(self, stage: Stage) -> None:
        listing = Gate(kind="test", argv=("sh", "-c", "ls; ls new/deep"), source="a test")
        await stage.work(WORK)
        judged = await stage.place.judged(await stage.look())
        shown = (await judged.run(listing)).stdout.decode().split("\n")
        assert {"moved.txt", "file.txt"} <= set(shown)
        assert not {"drop.txt", "move.txt"} & set(shown)

    async def test_what_a_gate_writes_is_not_delivered(self, stage: Stage) -> None:
        await stage.work(WORK)
        seen = await stage.look()
        judged = await stage.place.judged(seen)
        for _ in range(2):
            await judged.run(SPOILING)
        left, done = await judged.tidy()
        assert left == ()
        assert await stage.place.read_now(seen, "marker.txt") == b"delivered\n"
        assert await stage.place.read_now(seen, "keep.txt") == b"keep\n"
        again = await stage.look()
        # What it added may lie there, but then it is told.
        assert told(again.changes) - {("litter", "created", None)} == CHANGES
        late = {finding.path for finding in await stage.place.written_since(seen)}
        assert ("litter" in late) == (again.tree != seen.tree) == ("added litter" in done)

    async def test_everything_that_was_made_is_kept(self, stage: Stage) -> None:
        await stage.work("echo made > made.txt")
        await stage.work("echo more > more.txt", "leaves")
        with pytest.raises(PmError, match="E60"):
            await stage.work("echo last > last.txt", "breaks")
        project = GitProject.at(stage.project)
        kept = await stage.place.put_aside()
        assert kept
        assert await stage.place.put_aside() == kept
        found = [project.git("ls-tree", "-r", "--name-only", ref).split("\n") for ref in kept]
        for name in ("made.txt", "more.txt", "last.txt"):
            assert (stage.project / name).exists() or any(name in names for names in found)

    async def test_nothing_made_leaves_nothing_behind(self, stage: Stage) -> None:
        project = GitProject.at(stage.project)
        were = project.git("for-each-ref", "refs/heads", "refs/tags")
        await stage.place.put_aside()
        assert project.git("for-each-ref", "refs/heads", "refs/tags") == were

    @pytest.mark.parametrize("complete", [True, False])
    async def test_delivering_twice_changes_nothing(self, stage: Stage, complete: bool) -> None:
        await stage.work(WORK)
        seen = await stage.look()
        first = await stage.place.deliver(seen.tree, complete=complete)
        project = GitProject.at(stage.project)
        ours = (".git/", ".claude/", ".pm-orchestrator/")
        state = project.git("for-each-ref"), project.fingerprint(but=ours)
        assert await stage.place.deliver(seen.tree, complete=complete) == first
        assert (project.git("for-each-ref"), project.fingerprint(but=ours)) == state

    async def test_what_stands_under_a_name_is_told(self, stage: Stage) -> None:
        await stage.work(
            "chmod +x keep.txt; ln -s keep.txt link.txt; ln -s no.txt dead.txt; mkdir made;"
            " echo x > made/file.txt; rm drop.txt"
        )
        seen = await stage.look()
        found = {
            name: await stage.place.standing(seen, name)
            for name in ("keep.txt", "change.txt", "link.txt", "dead.txt", "made", "drop.txt")
        }
        assert found == {
            "keep.txt": Standing(kind="file", executable=True),
            "change.txt": Standing(kind="file"),
            "link.txt": Standing(kind="link", leads=True),
            "dead.txt": Standing(kind="link"),
            "made": Standing(kind="directory"),
            "drop.txt": Standing(),
        }

    async def test_a_mode_counts_where_it_was_asked_for(self, stage: Stage) -> None:
        await stage.work("chmod +x keep.txt change.txt; echo two > change.txt")
        alone = await stage.place.look(stage.delivered, ())
        assert told(alone.changes) == {("change.txt", "modified", None)}
        asked = await stage.place.look(stage.delivered, (), ("keep.txt", "change.txt"))
        assert told(asked.changes) == told(alone.changes) | {("keep.txt", "modified", None)}

    async def test_what_was_recorded_since(self, stage: Stage) -> None:
        since = await stage.place.refs()
        assert since is not None
        assert since.head is not None
        await stage.work(
            "echo two > change.txt; git add -A;"
            " git -c user.name=T -c user.email=t@localhost commit -qm more"
        )
        seen = await stage.look()
        now = await stage.place.recorded(seen, since, ())
        assert now is not None
        assert now.refs.head != since.head
        assert "change.txt" in now.committed
        assert "change.txt" not in now.uncommitted
