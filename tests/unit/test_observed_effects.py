"""What became of a thing that was asked for, as the place itself tells it."""

import pytest

from pm_orchestrator.domain.judging.effect import Effect, Recorded, Refs, Standing
from pm_orchestrator.runner.run.facts import Wanted
from pm_orchestrator.runner.run.phases.observing import Observed, observe
from pm_orchestrator.testing.memory.memory_place import MemoryPlace

TEXT = b"export const parse = 1;\n"
BASE = {"src/dates.js": TEXT, "lib/a.js": TEXT, "README.md": b"# Sums\n", "run.sh": b"true\n"}
LINK, DEAD = Standing(kind="link", leads=True), Standing(kind="link")


def moved(source: str, name: str) -> Effect:
    return Effect(kind="moved", source=source, name=name)


RENAMED = moved("src/dates.js", "dates.ts")
LINKED = Effect(kind="linked", name="latest.txt|v2.txt")
WRITTEN = Effect(kind="written", name="README")


async def observed(
    effect: Effect,
    files: dict[str, bytes | None],
    stands: dict[str, Standing] | None = None,
    recorded: Recorded | None = None,
    *,
    asked: tuple[Effect, ...] = (),
    since: Refs | None = None,
) -> Observed:
    """After `files` were written, or taken away where there is nothing."""
    now = {path: text for path, text in {**BASE, **files}.items() if text is not None}
    place = MemoryPlace(BASE, now)
    place.stands = stands or {}
    place.recorded_now = recorded
    effects = (effect, *asked)
    wanted = Wanted(instruction="x", repairs="x", effects=effects, expected_files=("README.md",))
    return await observe(place, wanted, await place.look(None, ()), since or Refs(head="1"))


@pytest.mark.parametrize(
    ("effect", "files", "stands", "so"),
    [
        (RENAMED, {"src/dates.js": None, "dates.ts": TEXT}, {}, True),
        # A new name alone leaves a file where it is.
        (RENAMED, {"src/dates.js": None, "src/dates.ts": TEXT}, {}, True),
        (RENAMED, {"src/dates.js": None, "src/dates.ts": b"moved"}, {}, False),
        (RENAMED, {"src/dates.js": None}, {}, False),
        (RENAMED, {"src/dates.ts": TEXT}, {}, False),
        (moved("none.js", "other.js"), {}, {}, True),
        (moved("src/dates.js", "web"), {"src/dates.js": None, "web/dates.js": TEXT}, {}, True),
        (moved("lib", "web"), {"lib/a.js": None, "web/a.js": TEXT}, {}, True),
        (moved("lib", "web"), {"lib/a.js": None}, {}, False),
        # One of the two is the link, wherever it was put.
        (LINKED, {"v2.txt": b"2\n"}, {"latest.txt": LINK}, True),
        (LINKED, {"v2.txt": b"2\n", "data/latest.txt": b"x"}, {"data/latest.txt": LINK}, True),
        (LINKED, {"v2.txt": b"2\n", "other.txt": b"x"}, {"other.txt": LINK}, False),
        (LINKED, {"v2.txt": b"2\n"}, {"latest.txt": DEAD}, False),
        (Effect(kind="linked"), {"any.txt": b"x"}, {"any.txt": LINK}, True),
        (Effect(kind="executable", name="run.sh"), {}, {}, False),
        (
            Effect(kind="executable", name="run.sh"),
            {},
            {"run.sh": Standing(kind="file", executable=True)},
            True,
        ),
        (Effect(kind="gone", name="lib"), {"lib/a.js": None}, {}, True),
        (Effect(kind="gone", name="lib"), {}, {}, False),
        (Effect(kind="gone", name="none"), {}, {}, True),
        (Effect(kind="directory", name="logs"), {}, {"logs": Standing(kind="directory")}, True),
        (Effect(kind="directory", name="logs"), {}, {"logs": LINK}, True),
        (Effect(kind="directory", name="logs"), {"logs": b"x"}, {}, False),
        (Effect(kind="directory", name="lib"), {}, {}, True),
        (WRITTEN, {"README.md": b"# Sums\n\nMore.\n"}, {}, True),
        (WRITTEN, {"README.md": b"# Sums\n\n\n"}, {}, False),
        (WRITTEN, {"other.md": b"x"}, {}, False),
    ],
)
async def test_in_the_tree(
    effect: Effect, files: dict[str, bytes | None], stands: dict[str, Standing], *, so: bool
) -> None:
    found = await observed(effect, files, stands)
    assert found.unmet == (() if so else (effect,))


MERGED = Effect(kind="merged", name="topic")
COMMITTED = Effect(kind="committed")
TOPIC = Refs(head="2", branches={"topic": "2"})


@pytest.mark.parametrize(
    ("effect", "recorded", "so"),
    [
        (MERGED, Recorded(refs=TOPIC, merged={"topic": frozenset()}), True),
        (MERGED, Recorded(refs=TOPIC), False),
        (MERGED, Recorded(refs=Refs(head="2")), True),
        (MERGED, None, True),
        (COMMITTED, None, False),
        (COMMITTED, Recorded(refs=TOPIC), False),
        (COMMITTED, Recorded(refs=TOPIC, committed=frozenset({"README.md"})), True),
        (
            COMMITTED,
            Recorded(refs=TOPIC, committed=frozenset({"a"}), uncommitted=frozenset({"README.md"})),
            False,
        ),
    ],
)
async def test_in_the_history(effect: Effect, recorded: Recorded | None, *, so: bool) -> None:
    found = await observed(effect, {"README.md": b"# Products\n"}, None, recorded)
    assert found.unmet == (() if so else (effect,))


async def test_what_nobody_can_see_is_named() -> None:
    found = await observed(WRITTEN, {"new.md": b" \n", "README.md": b"# Sums\n\n"})
    assert found.blank == ("README.md", "new.md")
    big = {"hollow.bin": b"x" * (300 * 1024)}
    hollow = await observed(WRITTEN, {**big}, {"hollow.bin": Standing(kind="file", hollow=True)})
    assert hollow.blank == ("hollow.bin",)


async def test_a_link_may_take_the_place_of_what_was_moved_where_one_is_wanted() -> None:
    files, stands = {"src/dates.ts": TEXT, "src/dates.js": b"dates.ts"}, {"src/dates.js": LINK}
    linked = Effect(kind="linked", name="src/dates.js")
    assert (await observed(RENAMED, {**files}, stands, asked=(linked,))).unmet == ()
    assert (await observed(RENAMED, {**files}, stands)).unmet == (RENAMED,)
    assert (await observed(RENAMED, {**files}, asked=(linked,))).unmet == (RENAMED, linked)


async def test_merged_branches_are_gone_when_all_of_them_are_and_no_other() -> None:
    effect = Effect(kind="branch_gone", at="main")
    since = Refs(head="1", branches={"main": "1", "done": "1"})
    for now, unswept, so in (
        ({"main": "1"}, (), True),
        ({"main": "1"}, ("topic",), False),
        ({"main": "1", "done": "1"}, ("done",), False),
    ):
        recorded = Recorded(refs=Refs(head="1", branches=now), unswept=frozenset(unswept))
        found = await observed(effect, {}, None, recorded, since=since)
        assert (found.met, found.unmet) == (((effect,), ()) if so else ((), (effect,)))
