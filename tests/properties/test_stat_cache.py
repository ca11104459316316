"""The stat cache against somebody who wants it to be wrong."""

import os
import stat
from pathlib import Path

import msgspec
from hypothesis import given, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pm_orchestrator.evidence.look.snapshot import DirectoryWalk, Rules
from pm_orchestrator.evidence.look.stat_cache import FileState, StatCache, load_cache
from pm_orchestrator.testing.data.one_look import take_snapshot

TICKS = [1, 4_000_000, 1_000_000_000, 2_000_000_000]
"""How coarse a file system's clock may be."""
CONTENTS = st.sampled_from(["aaaa", "bbbb", "cccc", "dd"])


class Inode:
    """A file as the kernel keeps it: nobody but the kernel sets the change time."""

    def __init__(self, number: int, content: str, now: int) -> None:
        self.number = number
        self.content = content
        self.mtime = now
        self.ctime = now

    def about(self) -> os.stat_result:
        times = {"st_mtime_ns": self.mtime, "st_ctime_ns": self.ctime}
        whole = (stat.S_IFREG | 0o644, self.number, 7, 1, 0, 0, len(self.content), 0, 0, 0)
        return os.stat_result(whole, times)


class StatCacheAdversary(RuleBasedStateMachine):
    """Writes, dates, renames and waits as it likes, between any two looks."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000_000_000_000
        self.tick = TICKS[0]
        self.cache = StatCache()
        self.files = {name: Inode(n, "aaaa", self.stamp()) for n, name in enumerate("xy")}
        self.inodes = 10

    def stamp(self) -> int:
        return self.now // self.tick * self.tick

    @rule(tick=st.sampled_from(TICKS))
    def change_clock_grain(self, tick: int) -> None:
        # A coarser stamp than the last one would be a clock that runs backwards.
        self.tick = tick
        self.now += 2 * max(TICKS)

    @rule(name=st.sampled_from("xy"), content=CONTENTS)
    def write(self, name: str, content: str) -> None:
        file = self.files[name]
        file.content, file.mtime, file.ctime = content, self.stamp(), self.stamp()

    @rule(name=st.sampled_from("xy"), content=CONTENTS)
    def write_and_set_the_date_back(self, name: str, content: str) -> None:
        file = self.files[name]
        file.content, file.ctime = content, self.stamp()

    @rule(name=st.sampled_from("xy"), back=st.integers(0, 10**12))
    def set_date(self, name: str, back: int) -> None:
        file = self.files[name]
        file.mtime, file.ctime = self.now - back, self.stamp()

    @rule()
    def swap_by_rename(self) -> None:
        x, y = self.files["x"], self.files["y"]
        self.files = {"x": y, "y": x}
        x.ctime = y.ctime = self.stamp()

    @rule(name=st.sampled_from("xy"), content=CONTENTS)
    def replace_with_equal_dates(self, name: str, content: str) -> None:
        old = self.files[name]
        new = Inode(self.inodes, content, self.stamp())
        new.mtime = old.mtime
        self.inodes += 1
        self.files[name] = new

    @rule(name=st.sampled_from("xy"), content=CONTENTS)
    def replace_reusing_the_inode_number(self, name: str, content: str) -> None:
        old = self.files[name]
        new = Inode(old.number, content, self.stamp())
        new.mtime = old.mtime
        self.files[name] = new

    @rule(step=st.sampled_from([0, 1, 3_000_000, 999_999_999, 2_000_000_000, 5_000_000_000]))
    def wait(self, step: int) -> None:
        self.now += step

    @rule()
    def restart(self) -> None:
        self.cache = load_cache(self.cache.dump(lambda _: False))

    @invariant()
    def no_look_is_ever_wrong(self) -> None:
        for name, file in self.files.items():
            found = self.cache.find(name, file.about())
            assert found is None or found.digest == file.content
            if found is None:
                state = FileState(file.content, len(file.content))
                self.cache.keep(name, file.about(), self.now, state)
        self.cache.forget_unseen()


TestStatCacheAdversary = StatCacheAdversary.TestCase


@given(garbage=st.binary(max_size=60))
def test_a_broken_cache_is_an_empty_one(garbage: bytes) -> None:
    about = Inode(1, "aaaa", 5).about()
    assert load_cache(garbage).find("x", about) is None


def test_a_cache_is_kept_for_its_own_version_alone() -> None:
    about, state = Inode(1, "aaaa", 5).about(), FileState("aaaa", 4)
    cache = StatCache()
    cache.keep("x", about, 2**62, state)
    cache.forget_unseen()
    kept = cache.dump(lambda _: False)
    assert load_cache(kept).find("x", about) == state
    version, entries = msgspec.msgpack.decode(kept)
    other = msgspec.msgpack.encode((version + 1, entries))
    assert load_cache(other).find("x", about) is None


def test_unchanged_files_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one", encoding="utf-8")
    cache = StatCache()
    later = (tmp_path / "a").stat().st_ctime_ns + 10_000_000_000
    walk = DirectoryWalk(tmp_path, cache, lambda: later)
    first = walk.scan(Rules())
    reads: list[int] = []

    def noted() -> int:
        reads.append(1)
        return later

    again = DirectoryWalk(tmp_path, cache, noted)
    assert again.scan(Rules()) == first == take_snapshot(tmp_path)
    assert reads == []
    os.utime(tmp_path / "a", ns=(5, 5))
    assert again.scan(Rules()) == first
    assert reads == [1]


def test_real_tricks_with_dates_are_seen(tmp_path: Path) -> None:
    """R-31 Verified Files Detection: same size, same date, other content is a change."""
    old = tmp_path / "old"
    old.write_text("aaaa", encoding="utf-8")
    os.utime(old, ns=(10**18, 10**18))
    cache = StatCache()
    # As if the first look had been long ago, so that the entry would be believed.
    walk = DirectoryWalk(tmp_path, cache, lambda: old.stat().st_ctime_ns + 10_000_000_000)
    before = walk.scan(Rules())
    while (tmp_path / "probe").write_bytes(b"") == 0:
        if (tmp_path / "probe").stat().st_ctime_ns > old.stat().st_ctime_ns:
            break
    other = tmp_path / "other"
    other.write_text("bbbb", encoding="utf-8")
    os.utime(other, ns=(10**18, 10**18))
    other.replace(old)
    after = walk.scan(Rules())
    assert before["old"].digest != after["old"].digest
    assert after == take_snapshot(tmp_path)
