"""What became of what was asked for besides the content of files: each kind, met and not met."""

from collections.abc import Mapping

import pytest

from pm_orchestrator.domain.judging.effect import Effect, EffectKind, Recorded, Refs, Standing
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.runner.places.place import Seen
from pm_orchestrator.runner.run.facts import Wanted
from pm_orchestrator.runner.run.phases import observing
from pm_orchestrator.runner.run.phases.observing import Observed, observe
from pm_orchestrator.runner.run.phases.oddities import unasked
from pm_orchestrator.testing.memory.memory_place import MemoryPlace

BASE = {"a.txt": b"one\n", "b.txt": b"two\n", "docs/guide.md": b"# Guide\n"}
SINCE = Refs(head="c1", branches={"main": "c1", "old": "c0"}, tags={"v1": "c0"})
Files = Mapping[str, bytes]


def wanted(*effects: Effect, instruction: str = "do it", files: tuple[str, ...] = ()) -> Wanted:
    return Wanted(
        instruction=instruction, repairs=instruction, effects=effects, expected_files=files
    )


async def observed(place: MemoryPlace, asked: Wanted, since: Refs | None = SINCE) -> Observed:
    seen: Seen = await place.look(None, asked.expected_files)
    return await observe(place, asked, seen, since)


async def became(place: MemoryPlace, effect: Effect, *, files: tuple[str, ...] = ()) -> str:
    """In one word: `met` where it is work by itself, `unmet`, or `nothing` to say against it."""
    found = await observed(place, wanted(effect, files=files))
    assert not (found.met and found.unmet)
    return "met" if found.met else "unmet" if found.unmet else "nothing"


@pytest.mark.parametrize(
    "kind", ["committed", "merged", "amended", "squashed", "reworded", "picked", "reverted"]
)
def test_commits_that_were_asked_for_are_nothing_odd(kind: EffectKind) -> None:
    moved = OddFinding(kind="head_moved", path="main")
    switched = OddFinding(kind="branch_switched", path="main")
    asked = wanted(Effect(kind=kind, at="main"))
    assert unasked([moved, switched], asked) == ()
    for other in (wanted(), wanted(Effect(kind="tagged", name="v2", at="main"))):
        assert unasked([moved, switched], other) == (moved, switched)


def history(
    *,
    branches: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    merged: tuple[str, ...] = (),
    committed: tuple[str, ...] = (),
    uncommitted: tuple[str, ...] = (),
    left: tuple[str, ...] = (),
    touched: tuple[str, ...] = (),
    elsewhere: tuple[str, ...] = (),
    messages: tuple[str, ...] | None = None,
) -> Recorded:
    """What was there before, and what came to it."""
    return Recorded(
        refs=Refs(
            head="c2",
            branches={**SINCE.branches, **dict.fromkeys(branches, "c2")},
            tags={**SINCE.tags, **dict.fromkeys(tags, "c2")},
        ),
        committed=frozenset(committed),
        uncommitted=frozenset(uncommitted),
        merged=dict.fromkeys(merged, frozenset(left)),
        touched=frozenset(touched),
        elsewhere=frozenset(elsewhere),
        messages=messages,
    )


@pytest.mark.parametrize(
    ("kind", "name", "now", "expected"),
    [
        ("branched", "topic", history(branches=("topic",)), "met"),
        ("branched", "topic", history(branches=("other",)), "unmet"),
        ("branched", "old", history(), "unmet"),
        ("branched", "", history(branches=("any",)), "met"),
        ("branched", "", history(), "unmet"),
        ("tagged", "v2", history(tags=("v2",)), "met"),
        ("tagged", "v1", history(), "unmet"),
        ("merged", "old", history(merged=("old",)), "met"),
        ("merged", "old", history(), "unmet"),
        ("merged", "never", history(), "nothing"),
        ("committed", "", history(committed=("a.txt",)), "met"),
        ("committed", "", history(), "unmet"),
        ("branched", "topic", None, "unmet"),
        ("committed", "", None, "unmet"),
        ("merged", "old", None, "nothing"),
    ],
)
async def test_what_was_asked_of_the_history(
    kind: EffectKind, name: str, now: Recorded | None, expected: str
) -> None:
    place = MemoryPlace(BASE, {**BASE, "a.txt": b"one more\n"})
    place.recorded_now = now
    assert await became(place, Effect(kind=kind, name=name)) == expected


@pytest.mark.parametrize(
    ("files", "uncommitted", "asked", "expected"),
    [
        ({**BASE, "a.txt": b"1\n"}, "a.txt", (), "unmet"),
        ({**BASE, "new.txt": b"1\n"}, "new.txt", (), "met"),
        ({**BASE, "new.txt": b"1\n"}, "new.txt", ("new.txt",), "unmet"),
    ],
    ids=["an old file", "a new file nobody named", "a new file that was asked for"],
)
async def test_a_commit_holds_what_the_work_was_about(
    files: Files, uncommitted: str, asked: tuple[str, ...], expected: str
) -> None:
    place = MemoryPlace(BASE, files)
    place.recorded_now = history(committed=("b.txt",), uncommitted=(uncommitted,))
    assert await became(place, Effect(kind="committed"), files=asked) == expected


SAID = Effect(kind="committed", name="Raise the retries")
ONLY = Effect(kind="committed", only=("a.txt", "docs"))
BRANCHED = Effect(kind="branched", name="t", at="v1")
TAGGED = Effect(kind="tagged", name="v2", at="HEAD~1")


@pytest.mark.parametrize(
    ("effect", "now", "expected"),
    [
        (SAID, history(committed=("a.txt",), messages=("Raise the retries",)), "met"),
        (SAID, history(committed=("a.txt",), messages=("x", "raise the\nretries.\n\nWhy")), "met"),
        (SAID, history(committed=("a.txt",), messages=("update",)), "unmet"),
        (SAID, history(committed=("a.txt",), messages=()), "unmet"),
        # Where commits are made by the Runner itself, nobody gives them a message.
        (SAID, history(committed=("a.txt",)), "met"),
        (ONLY, history(committed=("a.txt",), touched=("a.txt",)), "met"),
        (ONLY, history(committed=("docs/x.md",), touched=("docs/x.md", "a.txt")), "met"),
        (ONLY, history(committed=("a.txt",), touched=("a.txt", "b.txt")), "unmet"),
        (ONLY, history(committed=("a.txt",), touched=("a.txt", "docs.md")), "unmet"),
        (ONLY, history(committed=("a.txt",), touched=("a.txt",), uncommitted=("b.txt",)), "met"),
        (ONLY, history(committed=("a.txt",), uncommitted=("docs/x.md",)), "unmet"),
        (BRANCHED, history(branches=("t",)), "met"),
        (BRANCHED, history(branches=("t",), elsewhere=("t",)), "unmet"),
        (TAGGED, history(tags=("v2",)), "met"),
        (TAGGED, history(tags=("v2",), elsewhere=("v2",)), "unmet"),
    ],
)
async def test_what_a_commit_says_and_holds_and_where_a_ref_stands(
    effect: Effect, now: Recorded, expected: str
) -> None:
    place = MemoryPlace(BASE, {**BASE, "b.txt": b"two more\n"})
    place.recorded_now = now
    assert await became(place, effect) == expected


@pytest.mark.parametrize(
    ("instruction", "left", "so"),
    [
        ("Merge old", (), True),
        ("Merge old", ("docs/guide.md",), False),
        ("Merge old, but keep our guide.md", ("docs/guide.md",), True),
        ("Merge old and leave docs/ as it is here", ("docs/guide.md",), True),
        ("Merge old and leave docs/ as it is here", ("docs/guide.md", "a.txt"), False),
        ("Record old as merged with the ours strategy", ("a.txt",), True),
    ],
)
async def test_a_merge_brings_the_work_along(
    instruction: str, left: tuple[str, ...], so: bool
) -> None:
    place = MemoryPlace(BASE, BASE)
    place.recorded_now = history(merged=("old",), left=left)
    effect = Effect(kind="merged", name="old")
    found = await observed(place, wanted(effect, instruction=instruction))
    assert (found.met, found.unmet) == (((effect,), ()) if so else ((), (effect,)))


SQUASHED = Effect(kind="squashed", name="All")
ONE_MORE = Effect(kind="committed")


@pytest.mark.parametrize(
    ("now", "besides", "so"),
    [
        (Recorded(refs=SINCE, amended=True, fewer=True, messages=("All",)), (), True),
        (Recorded(refs=SINCE, amended=True, fewer=True, messages=("wip",)), (), False),
        (Recorded(refs=SINCE, amended=True, messages=("All",)), (), False),
        (Recorded(refs=SINCE, amended=True, messages=("All",)), (ONE_MORE,), True),
        (Recorded(refs=SINCE, fewer=True, messages=("All",)), (), False),
        (Recorded(refs=SINCE, amended=True, fewer=True, dropped=frozenset({"a"})), (), False),
    ],
    ids=["one of two", "other words", "only amended", "and one more", "on top", "work lost"],
)
async def test_several_commits_made_into_one(
    now: Recorded, besides: tuple[Effect, ...], so: bool
) -> None:
    place = MemoryPlace(BASE, BASE)
    place.recorded_now = now
    found = await observed(place, wanted(SQUASHED, *besides, instruction="Squash two"))
    assert (SQUASHED in found.met, SQUASHED in found.unmet) == (so, not so)


async def test_the_history_is_asked_once_and_only_where_it_matters() -> None:
    place = MemoryPlace(BASE, BASE)
    place.recorded_now = history(branches=("topic",), merged=("old",))
    both = (Effect(kind="branched", name="topic"), Effect(kind="merged", name="old"))
    assert (await observed(place, wanted(*both))).met == both
    fresh = Refs(head="c1")
    found = await observed(place, wanted(Effect(kind="branched", name="main")), since=None)
    assert found.met, "where nobody knows what was there before, all that is there is new"
    assert (await observed(place, wanted(), since=fresh)) == Observed()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"b.txt": b"two\n", "c.txt": b"one\n"}, "nothing"),
        ({**BASE, "c.txt": b"one\n"}, "unmet"),
        ({"b.txt": b"two\n", "c.txt": b"something else\n"}, "unmet"),
        ({"b.txt": b"two\n"}, "unmet"),
        ({"b.txt": b"two\n", "c.txt/a.txt": b"one\n"}, "nothing"),
    ],
    ids=["moved", "copied", "replaced", "lost", "into a directory"],
)
async def test_a_file_that_was_to_move(files: Files, expected: str) -> None:
    effect = Effect(kind="moved", name="c.txt", source="a.txt")
    assert await became(MemoryPlace(BASE, files), effect) == expected


PAGE = b"# Guide\n\nInstall it.\n\nRun it, then look at what it says.\n"
SCRIPT = b"import os\nfrom a.b import c\n\nc(os.getcwd())\nprint(c)\n"


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        (PAGE, PAGE, True),
        (PAGE, b"# Manual\n\nInstall it.\n\nRun it, then look at what it says.\n", True),
        (SCRIPT, SCRIPT.replace(b"a.b", b"d.e"), True),
        (SCRIPT, SCRIPT + b"more()\n", True),
        (b"one\ntwo\n", b"one\nthree\n", True),
        ("# 手順\n\nファイルを置く。\n".encode(), "# 案内\n\nファイルを置く。\n".encode(), True),
        (PAGE, b"# Guide\n\nInstall it.\n", False),
        (PAGE, b"# Guide\n", False),
        (b"a b\na b\na b\na b\n", b"a b\n", False),
        (b"one\ntwo\n", b"one\n", False),
        ("# 手順\n\nファイルを置く。\n".encode(), "# 手順\n".encode(), False),
    ],
)
async def test_a_move_keeps_the_content(before: bytes, after: bytes, *, kept: bool) -> None:
    place = MemoryPlace({"a.md": before}, {"b.md": after})
    effect = Effect(kind="moved", name="b.md", source="a.md")
    assert await became(place, effect) == ("nothing" if kept else "unmet")
    rewritten = wanted(effect, instruction="a.md を b.md に改名して書き直してください")
    assert (await observed(place, rewritten)).unmet == ()


async def test_a_move_that_rewrites_leaves_something() -> None:
    place = MemoryPlace({"a.md": PAGE}, {"b.md": b" \n"})
    effect = Effect(kind="moved", name="b.md", source="a.md")
    asked = wanted(effect, instruction="Move a.md to b.md and shorten it")
    assert (await observed(place, asked)).unmet == (effect,)


async def test_a_directory_moves_as_a_whole_and_what_never_was_does_not() -> None:
    whole = Effect(kind="moved", name="manual", source="docs")
    moved = {"manual/guide.md": b"# Guide\n"}
    assert await became(MemoryPlace(BASE, moved), whole) == "nothing"
    assert await became(MemoryPlace(BASE, {"manual": b"# Guide\n"}), whole) == "unmet"
    never = Effect(kind="moved", name="x", source="never")
    assert await became(MemoryPlace(BASE, BASE), never) == "nothing"


@pytest.mark.parametrize(
    ("effect", "stands", "expected"),
    [
        (Effect(kind="linked", name="to|l"), {"l": Standing(kind="link", leads=True)}, "nothing"),
        (Effect(kind="linked", name="to|l"), {"l": Standing(kind="link")}, "unmet"),
        (Effect(kind="linked", name="to|l"), {}, "unmet"),
        (Effect(kind="linked"), {"n.txt": Standing(kind="link", leads=True)}, "nothing"),
        (Effect(kind="directory", name="d"), {"d": Standing(kind="directory")}, "met"),
        (Effect(kind="directory", name="d"), {"d": Standing(kind="link", leads=True)}, "met"),
        (Effect(kind="directory", name="d"), {"d": Standing(kind="link")}, "unmet"),
        (Effect(kind="directory", name="docs"), {}, "nothing"),
        (Effect(kind="gone", name="a.txt"), {"a.txt": Standing()}, "nothing"),
        (Effect(kind="gone", name="a.txt"), {}, "unmet"),
        (Effect(kind="gone", name="never"), {}, "nothing"),
        (Effect(kind="executable", name="a.txt"), {"a.txt": Standing(executable=True)}, "nothing"),
        (Effect(kind="executable", name="a.txt"), {}, "unmet"),
        (Effect(kind="written", name="README"), {}, "nothing"),
        (Effect(kind="written", name="LICENSE"), {}, "unmet"),
    ],
)
async def test_what_was_asked_of_a_name(
    effect: Effect, stands: dict[str, Standing], expected: str
) -> None:
    place = MemoryPlace(BASE, {**BASE, "n.txt": b"new\n", "readme.md": b"# It\n"})
    place.stands = stands
    assert await became(place, effect) == expected


@pytest.mark.parametrize(
    ("instruction", "content", "blank"),
    [
        ("extend a.txt", b"one\n\n\n", ("a.txt",)),
        ("extend a.txt", b"one\ntwo\n", ()),
        ("extend a.txt", b" \n", ("a.txt",)),
        ("add blank lines to a.txt", b"one\n\n\n", ()),
    ],
)
async def test_files_in_which_nobody_can_see_anything(
    instruction: str, content: bytes, blank: tuple[str, ...]
) -> None:
    place = MemoryPlace(BASE, {**BASE, "a.txt": content})
    asked = wanted(instruction=instruction, files=("a.txt",))
    assert (await observed(place, asked)).blank == blank


async def test_without_a_base_only_what_is_there_is_looked_at() -> None:
    place = MemoryPlace(BASE, {**BASE, "a.txt": b"one\n\n"}, comparable=False)
    assert (await observed(place, wanted(files=("a.txt",)))).blank == ()


async def test_a_large_file_is_known_by_whether_anything_was_ever_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(observing, "LARGEST", 2)
    place = MemoryPlace({}, {"full.bin": b"full", "hollow.bin": b"\0\0\0\0", "x": b"x"})
    place.stands = {"hollow.bin": Standing(kind="file", hollow=True)}
    assert (await observed(place, wanted())).blank == ("hollow.bin",)


async def test_what_is_no_plain_file_has_no_content_to_miss() -> None:
    place = MemoryPlace({}, {"link": b"a.txt"})
    seen = await place.look(None, ())
    place.files.clear()
    assert (await observe(place, wanted(), seen, None)).blank == ()
