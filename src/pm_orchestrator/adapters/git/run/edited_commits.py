"""Commits that nobody made: one tree with some files of another, to try gates on."""

import os
from collections.abc import Iterable, Mapping
from tempfile import TemporaryDirectory

from pm_orchestrator.adapters.git.refs import object_id
from pm_orchestrator.adapters.git.run.bare_repository import BareRepository, line
from pm_orchestrator.adapters.git.trees import TreeEntry, entries, plain_path

REGULAR = "100644"
PATHS_PER_CALL = 200


async def edited_commit(
    repository: BareRepository,
    commit: str,
    base: str,
    back: tuple[str, ...],
    contents: Mapping[str, bytes],
    moment: str,
) -> str:
    """`commit` with the paths `back` as in `base`, and files replaced; no ref leads to it."""
    before = await _entries(repository, base, back)
    now = await _entries(repository, commit, contents)
    nothing = "0" * len(commit)
    lines = [f"0 {nothing} 0\t{path}" for path in back if path not in before]
    lines += [f"{entry.mode} {entry.oid} 0\t{path}" for path, entry in before.items()]
    written: dict[bytes, str] = {}
    for path, content in contents.items():
        if content not in written:
            stored = await repository.run("hash-object", "-w", "--stdin", stdin=content)
            written[content] = line(stored)
        mode = now[path].mode if path in now and now[path].is_regular else REGULAR
        lines.append(f"{mode} {written[content]} 0\t{path}")
    with TemporaryDirectory(prefix="index-", dir=repository.directory) as folder:
        index = {"GIT_INDEX_FILE": f"{folder}/index"}
        await repository.run("read-tree", object_id(commit), environment=index)
        listed = b"".join(os.fsencode(text) + b"\0" for text in lines)
        await repository.run(
            "update-index", "--replace", "-z", "--index-info", environment=index, stdin=listed
        )
        tree = line(await repository.run("write-tree", environment=index))
    dates = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
    arguments = ("commit-tree", tree, "-p", object_id(commit), "-m", "edited")
    return line(await repository.run(*arguments, environment=dates))


async def _entries(
    repository: BareRepository, commit: str, paths: Iterable[str]
) -> dict[str, TreeEntry]:
    wanted = [path for path in paths if plain_path(path)]
    found: dict[str, TreeEntry] = {}
    for start in range(0, len(wanted), PATHS_PER_CALL):
        some = wanted[start : start + PATHS_PER_CALL]
        listing = await repository.run(
            "ls-tree", "-z", "--full-tree", object_id(commit), "--", *some
        )
        found |= {entry.name: entry for entry in entries(listing.stdout)}
    return found
