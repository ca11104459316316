"""What the Runner sees of a directory before and after."""

import os
import shutil
from pathlib import Path

from hypothesis import given, settings, strategies as st

from pm_orchestrator.evidence.look.differences import compare, fingerprint
from pm_orchestrator.testing.data.one_look import take_snapshot

NAMES = ["a.txt", "b.txt", "src/c.py", "src/deep/d.py", ".env", "日本.md"]
TREES = st.dictionaries(st.sampled_from(NAMES), st.binary(max_size=6), max_size=6)
HIDDEN = [
    ".git/x",
    "node_modules/y.js",
    ".claude/logs/z",
    ".pm-orchestrator/q",
    "src/__pycache__/p",
]


def lay(root: Path, tree: dict[str, bytes]) -> None:
    shutil.rmtree(root, ignore_errors=True)
    for name, data in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    root.mkdir(exist_ok=True)


@given(before=TREES, after=TREES)
@settings(max_examples=150)
def test_every_difference_is_seen_and_nothing_else(
    tmp_path: Path, before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    """R-31 Verified Files Detection: the diff is exactly what is different on disk."""
    root = tmp_path / "root"
    lay(root, before)
    first = take_snapshot(root)
    lay(root, {**after, **dict.fromkeys(HIDDEN, b"hidden")})
    changes = compare(first, take_snapshot(root))
    seen = {c.path: c.kind for c in changes}
    moved = {c.previous_path for c in changes if c.kind == "renamed"}
    created = {n for n in after if n not in before}
    assert {p for p, k in seen.items() if k in {"created", "renamed"}} == created
    assert {p for p, k in seen.items() if k == "modified"} == {
        n for n in after if n in before and after[n] != before[n]
    }
    gone = {n for n in before if n not in after}
    assert {p for p, k in seen.items() if k == "deleted"} == gone - moved
    assert moved <= gone
    for change in changes:
        if change.kind == "renamed":
            assert change.previous_path is not None
            assert before[change.previous_path] == after[change.path]
        assert change.size == len(after.get(change.path, b""))


@given(tree=TREES)
@settings(max_examples=100)
def test_touching_is_no_change(tmp_path: Path, tree: dict[str, bytes]) -> None:
    """R-31 Verified Files Detection: dates and permissions are not work."""
    root = tmp_path / "root"
    lay(root, tree)
    before = take_snapshot(root)
    for name in tree:
        os.utime(root / name, (1, 1))
        (root / name).chmod(0o600)
    after = take_snapshot(root)
    assert compare(before, after) == ()
    assert fingerprint(before) == fingerprint(after)


def test_links_are_not_followed_and_oddities_do_not_count(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("x", encoding="utf-8")
    root = tmp_path / "root"
    root.mkdir()
    before = take_snapshot(root)
    (root / "link").symlink_to(outside)
    os.mkfifo(root / "pipe")
    assert [(c.path, c.kind) for c in compare(before, take_snapshot(root))] == [("link", "created")]
