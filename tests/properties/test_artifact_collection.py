"""Whatever differs between two trees is listed, and nothing else."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.benches.run_repositories import RunBench

Tree = dict[str, bytes]

parts = st.text(st.sampled_from("abé語 *.'\"\\-"), min_size=1, max_size=6).filter(
    lambda part: part not in {".", ".."}
)
# Two depths with different endings, so that no file is another one's directory.
paths = st.one_of(parts.map(lambda p: f"{p}.f"), st.tuples(parts, parts).map("/".join))
contents = st.one_of(st.just(b""), st.binary(max_size=40), st.just(b"shared line\n" * 20))
trees = st.dictionaries(paths, contents, max_size=6)


def fast_import(first: Tree, second: Tree) -> bytes:
    """Two commits, one after the other, with exactly these files; prints their ids."""
    stream = b"reset refs/heads/agent/generated\n"
    for number, tree in enumerate((first, second), 1):
        stream += f"commit refs/heads/agent/generated\nmark :{number}\n".encode()
        stream += f"committer A <a@b> {1_700_000_000 + number} +0000\ndata 1\nc\n".encode()
        stream += b"deleteall\n"
        for name, content in tree.items():
            quoted = name.replace("\\", "\\\\").replace('"', '\\"')
            stream += f'M 100644 inline "{quoted}"\ndata {len(content)}\n'.encode()
            stream += content + b"\n"
    return stream + b"get-mark :1\nget-mark :2\n"


@pytest.fixture
def bench(tmp_path: Path) -> RunBench:
    """One repository for all cases; each case is two new commits in it."""
    bench = RunBench(tmp_path)
    GitProject(bench.directory, "--bare")
    return bench


@given(first=trees, second=trees)
async def test_every_difference_is_listed(bench: RunBench, first: Tree, second: Tree) -> None:
    """E-24 Artifact Collection Completeness: created, modified and deleted files, all of them."""
    store = GitProject.at(bench.directory)
    ids = store.git("fast-import", "--quiet", "--force", stdin=fast_import(first, second))
    old, new = ids.split()
    changes = await bench.repository.changes(old, new)
    assert not differences(changes, first, second)
    assert set(await bench.repository.files(new)) == set(second)


def differences(changes: tuple[FileChange, ...], first: Tree, second: Tree) -> list[str]:
    """What a listing says wrongly about two trees."""
    created = {c.path for c in changes if c.kind in {"created", "renamed"}}
    removed = {c.path for c in changes if c.kind == "deleted"}
    removed |= {c.previous_path for c in changes if c.previous_path is not None}
    modified = {c.path for c in changes if c.kind == "modified"}
    both = set(first) & set(second)
    wrong = created ^ (set(second) - set(first))
    wrong |= removed ^ (set(first) - set(second))
    wrong |= modified ^ {name for name in both if first[name] != second[name]}
    sizes = {c.path for c in changes if c.size != len(second.get(c.path, b""))}
    return sorted(wrong | sizes)


def test_the_model_can_object() -> None:
    listed = (FileChange(path="a.f", kind="created", size=1),)
    assert differences(listed, {}, {"a.f": b"x"}) == []
    assert differences(listed, {}, {"a.f": b"x", "b.f": b""}) == ["b.f"]
    assert differences(listed, {}, {"a.f": b"xx"}) == ["a.f"]
    assert differences((), {"a.f": b""}, {}) == ["a.f"]
    assert differences((), {"a.f": b""}, {"a.f": b"x"}) == ["a.f"]
