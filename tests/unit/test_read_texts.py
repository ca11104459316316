"""Which files are compared, and that a flood hides none of them."""

from pathlib import Path

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.gates.weaker.dilution import find_dilution
from pm_orchestrator.runner.places.plain_files import read_plain
from pm_orchestrator.runner.places.read_texts import LARGEST, MOST, ReadTree, texts_of


def plain_in(root: Path) -> ReadTree:
    """A reader of what lies below `root`."""

    async def now(path: str) -> bytes | None:
        return read_plain(root / path)

    return now


async def before(path: str) -> bytes | None:
    return f"def test_old():\n    assert look({path!r})\n".encode()


async def test_only_what_matters_is_read(tmp_path: Path) -> None:
    for name in ("test_a.py", "data.bin", "Makefile", "test_big.py"):
        (tmp_path / name).write_bytes(b"x = 1\n")
    (tmp_path / "test_big.py").write_bytes(b"#" * (LARGEST + 1))
    (tmp_path / "test_link.py").symlink_to("test_a.py")
    changes = tuple(
        FileChange(path=name, kind="modified", size=1)
        for name in ("test_a.py", "data.bin", "Makefile", "test_big.py", "test_link.py")
    )
    trees = await texts_of(changes, before, plain_in(tmp_path))
    assert trees.after == {
        "test_a.py": "x = 1\n",
        "Makefile": "x = 1\n",
        "test_big.py": None,
        "test_link.py": None,
    }
    assert "data.bin" not in trees.before
    assert trees.whole


async def test_new_files_hide_no_old_one(tmp_path: Path) -> None:
    new = [FileChange(path=f"a/test_{n}.py", kind="created", size=1) for n in range(MOST + 5)]
    gone = FileChange(path="tests/test_z.py", kind="deleted", size=0)
    trees = await texts_of((*new, gone), before, plain_in(tmp_path))
    found = find_dilution(trees, (*new, gone), (), "Add things")
    assert [(d.kind, d.detail) for d in found] == [("test_deleted", "test_old")]


async def test_more_than_can_be_compared_is_said(tmp_path: Path) -> None:
    gone = tuple(
        FileChange(path=f"tests/test_{n}.py", kind="deleted", size=0) for n in range(MOST + 1)
    )
    trees = await texts_of(gone, before, plain_in(tmp_path))
    assert not trees.whole
    assert "more files were changed" in find_dilution(trees, gone, (), "Add")[-1].detail
