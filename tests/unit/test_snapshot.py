"""What one look at a directory sees, leaves out, and survives."""

import errno
import os
import socket
from pathlib import Path

import pytest

from pm_orchestrator.evidence.look import stat_cache
from pm_orchestrator.evidence.look.differences import compare, fingerprint, is_delivered
from pm_orchestrator.evidence.look.limits import LookBudget
from pm_orchestrator.evidence.look.snapshot import UNREADABLE, DirectoryWalk, Rules, Scan, inside
from pm_orchestrator.evidence.look.stat_cache import FileState, StatCache
from pm_orchestrator.testing.data.one_look import take_snapshot


def look(root: Path, rules: Rules | None = None) -> Scan:
    return DirectoryWalk(root, StatCache(), lambda: 0).look(rules or Rules())


def test_ignored_files_are_left_out_unless_named(tmp_path: Path) -> None:
    for name in ("a.txt", "b.log", "build/x.o", "build/deep/y.o", "node_modules/z.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    ignored = frozenset({"b.log", "build/"})
    assert set(look(tmp_path, Rules(ignored=ignored)).files) == {"a.txt"}
    names = frozenset(
        {"build/deep/y.o", "build/deep", "build/none", "../outside", "node_modules/z.js", ""}
    )
    assert set(look(tmp_path, Rules(ignored=ignored, named=names)).files) == {
        "a.txt",
        "build/deep/y.o",
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a", True),
        ("a/b.txt", True),
        (".claude/CLAUDE.md", True),
        (".claude/logs/x", False),
        (".git/config", False),
        ("a/node_modules/b", False),
        ("/etc/passwd", False),
        ("../a", False),
        ("a/../b", False),
        ("./a", False),
        ("a\0b", False),
        ("", False),
    ],
)
def test_which_names_can_be_files_of_the_project(path: str, *, expected: bool) -> None:
    assert inside(path) is expected


def test_pipes_and_sockets_are_named_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(tmp_path)  # the name of a socket must be short
        try:
            server.bind("sock")
        finally:
            os.chdir(here)
        found = look(tmp_path)
    assert found.files == {}
    assert [(o.kind, o.path) for o in found.oddities] == [("special", "pipe"), ("special", "sock")]


def test_links_are_links(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "real").write_text("x", encoding="utf-8")
    (root / "inner").symlink_to("real")
    (root / "outer").symlink_to("/etc")
    (root / "dangling").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    found = look(root)
    assert set(found.files) == {"real", "inner", "outer", "dangling", "loop"}
    assert [(o.kind, o.path) for o in found.oddities] == [("link_outside", "outer")]


def test_what_cannot_be_read_is_said_and_proves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    for name in ("locked", "open", "closed/inside"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    before = look(tmp_path)
    real_open, real_scan = os.open, os.scandir

    def no_open(path: str, flags: int) -> int:
        if path.endswith("locked"):
            raise PermissionError(13, "no", path)
        return real_open(path, flags)

    def no_scan(path: str) -> object:
        if path.rstrip("/").endswith("closed"):
            raise PermissionError(13, "no", path)
        return real_scan(path)

    (tmp_path / "locked").write_text("changed?", encoding="utf-8")
    (tmp_path / "new_locked").write_text("x", encoding="utf-8")
    monkeypatch.setattr(os, "open", no_open)
    monkeypatch.setattr(os, "scandir", no_scan)
    after = look(tmp_path)
    assert after.files["locked"].digest == UNREADABLE
    assert after.unseen == ("closed/",)
    assert {o.path for o in after.oddities} == {"locked", "new_locked", "closed/"}
    assert compare(before.files, after.files, after.unseen) == ()
    # closed/inside is seen again; of what could not be read before, nobody knows what it was.
    again = compare(after.files, before.files)
    assert {(c.path, c.kind) for c in again} == {
        ("closed/inside", "created"),
        ("new_locked", "deleted"),
    }
    gone = compare(before.files, after.files)
    assert [(c.path, c.kind) for c in gone] == [("closed/inside", "deleted")]


def test_a_directory_that_is_gone(tmp_path: Path) -> None:
    root = tmp_path / "root"
    found = look(root)
    assert found.root_gone
    assert found.files == {}
    assert take_snapshot(root) == {}


def test_a_file_that_becomes_a_pipe_while_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look and the opening anything can happen; nothing may wait for a writer."""
    victim = tmp_path / "victim"
    victim.write_text("x", encoding="utf-8")
    real = os.open

    def swap(path: str, flags: int) -> int:
        victim.unlink()
        os.mkfifo(victim)
        return real(path, flags)

    monkeypatch.setattr(os, "open", swap)
    assert look(tmp_path).files["victim"].digest == UNREADABLE


def test_what_goes_away_while_looked_at_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that is still at work: files, links and whole directories come and go."""
    (tmp_path / "stays").write_text("x", encoding="utf-8")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "link").symlink_to("stays")
    (tmp_path / "folder").mkdir()
    real_stat, real_scan = os.lstat, os.scandir

    def stat_and_lose(path: str) -> os.stat_result:
        if path.endswith("/file"):
            (tmp_path / "file").unlink()
        about = real_stat(path)
        if path.endswith("/link"):
            (tmp_path / "link").unlink(missing_ok=True)
        return about

    def list_and_lose(path: str) -> object:
        if path.endswith("folder/"):
            (tmp_path / "folder").rmdir()
        return real_scan(path)

    monkeypatch.setattr(os, "lstat", stat_and_lose)
    monkeypatch.setattr(os, "scandir", list_and_lose)
    found = look(tmp_path)
    assert set(found.files) == {"stays"}
    assert (found.oddities, found.unseen) == ((), ())


def test_a_disk_that_fails_in_the_middle_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")

    def fail(*_: object) -> bool:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(LookBudget, "read", fail)
    assert look(tmp_path).files["a.txt"].digest == UNREADABLE


def test_a_named_file_is_read_once_as_others_are(tmp_path: Path) -> None:
    (tmp_path / "secret.env").write_text("x", encoding="utf-8")
    walk = DirectoryWalk(tmp_path, StatCache(), lambda: 1 << 62)
    rules = Rules(ignored=frozenset({"secret.env"}), named=frozenset({"secret.env"}))
    first = walk.scan(rules)
    assert set(first) == {"secret.env"}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "open", None)
        assert walk.scan(rules) == first


def test_names_that_are_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (tmp_path / name).write_text("x", encoding="utf-8")
    cache = StatCache()
    found = DirectoryWalk(tmp_path, cache, lambda: 1 << 62).scan(Rules())
    assert [c.path for c in compare({}, found)] == ["caf\\xe9"]
    assert fingerprint(found)
    assert cache.dump(lambda _: False)


def test_a_cache_knows_whether_there_is_anything_new_to_keep(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1", encoding="utf-8")
    (tmp_path / "two").write_text("2", encoding="utf-8")
    cache = StatCache()
    walk = DirectoryWalk(tmp_path, cache, lambda: 1 << 62)
    walk.scan(Rules())
    assert cache.changed
    cache.dump(lambda _: False)
    walk.scan(Rules())
    assert not cache.changed
    (tmp_path / "two").unlink()
    walk.scan(Rules())
    assert cache.changed


def test_a_cache_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stat_cache, "KEPT_AT_MOST", 1)
    for name in ("one", "two"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    cache = StatCache()
    walk = DirectoryWalk(tmp_path, cache, lambda: 1 << 62)
    assert set(walk.scan(Rules())) == set(walk.scan(Rules())) == {"one", "two"}
    known = [cache.find(name, (tmp_path / name).lstat()) for name in ("one", "two")]
    assert known.count(None) == 1


def test_permissions_are_in_the_fingerprint_only_when_asked() -> None:
    one, two = {"a": FileState("d", 1, 0o644)}, {"a": FileState("d", 1, 0o600)}
    assert fingerprint(one) == fingerprint(two)
    assert fingerprint(one, with_modes=True) != fingerprint(two, with_modes=True)
    assert compare(one, two) == ()


def test_a_hundred_thousand_moved_files_are_compared_in_no_time() -> None:
    before = {f"old/{n}": FileState(f"d{n}", 1) for n in range(100_000)}
    after = {f"new/{n}": FileState(f"d{n}", 1) for n in range(100_000)}
    changes = compare(before, after)
    assert len(changes) == 100_000
    assert {change.kind for change in changes} == {"renamed"}


def test_a_link_delivers_only_what_is_in_the_tree() -> None:
    files = {
        "a.md": FileState("abc", 3),
        "docs/in": FileState("link:../a.md", 7),
        "out": FileState("link:/etc/hosts", 10),
        "up": FileState("link:../other", 8),
        "nowhere": FileState("link:missing", 7),
        "again": FileState("link:out", 3),
        "folder": FileState("link:docs", 4),
    }
    delivered = [path for path in files if is_delivered(path, files)]
    assert delivered == ["a.md", "docs/in", "folder"]
    assert not is_delivered("absent", files)
