"""E-16 at the level of the sandbox: what is written is what is read."""

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.sandbox import Sandbox, SandboxSpec

pytestmark = pytest.mark.black_box

# Everything a name may contain: no slash, no NUL, at most 255 bytes; "." and ".." are no names.
names = (
    st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=60)
    .filter(lambda name: name not in {".", ".."})
    .filter(lambda name: len(name.encode()) <= 255)
)
# Around one frame, one credit window, and beyond both.
sizes = st.sampled_from([0, 1, 32767, 32768, 32769, 262143, 262144, 262145, 1_000_000])


def repeated(size: int, seed: bytes) -> bytes:
    return (seed * (size // len(seed) + 1))[:size]


# What a well-meaning layer would "repair": line ends, byte order marks, broken UTF-8.
texts = st.lists(st.sampled_from([b"\r\n", b"\n", b"\r", b"\xef\xbb\xbf", b"\xff", b"\0", b"a"]))
contents = (
    st.binary(max_size=300)
    | texts.map(b"".join)
    | st.builds(repeated, sizes, st.binary(min_size=1, max_size=8))
)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def sandbox(loop: asyncio.Runner) -> Iterator[Sandbox]:
    runtime = BwrapRuntime(LocalCommands(), search_path="/usr/bin:/bin")
    opened = loop.run(runtime.open(SandboxSpec(name="round-trip")))
    yield opened
    loop.run(opened.close())


@given(folders=st.lists(names, max_size=3), name=names, first=contents, second=contents)
def test_a_written_file_reads_back_exactly(
    loop: asyncio.Runner,
    sandbox: Sandbox,
    folders: list[str],
    name: str,
    first: bytes,
    second: bytes,
) -> None:
    """E-16 Tool Call Round-Trip: reading gives exactly what was last written."""

    async def round_trip() -> None:
        folder = "/".join(["files", *(f"d{part[:40]}" for part in folders)])
        path = f"{folder}/f{name[:40]}"
        for content in (first, second):
            await sandbox.write_file(path, content)
            assert await sandbox.read_file(path) == content
        listed = {entry.name: entry for entry in await sandbox.list_directory(folder)}
        assert listed[f"f{name[:40]}"].size == len(second)
        assert not [entry for entry in listed if entry.startswith(".pm-write")]

    loop.run(round_trip())


async def refusal(writing: Coroutine[Any, Any, None]) -> str | None:
    try:
        await writing
    except PmError as error:
        return error.code
    return None


@given(
    parts=st.lists(st.sampled_from(["..", ".", "a", "up", "out", "root"]), min_size=1, max_size=4),
    folder=st.sampled_from(["tmp", "etc", "a", ""]),
)
def test_no_path_leads_outside(
    loop: asyncio.Runner, sandbox: Sandbox, parts: list[str], folder: str
) -> None:
    """E-16 Tool Call Round-Trip: a path that would leave the workspace is refused."""

    async def attempt() -> None:
        links = "mkdir -p a; ln -sfn .. a/up; ln -sfn ../.. up; ln -sfn .. out; ln -sfn / root"
        await sandbox.run(("sh", "-c", links))
        path = "/".join([*parts, folder, "passwd"])
        code = await refusal(sandbox.write_file(path, b"ours"))
        assert code in {None, "E703"}
        if code is None:
            assert await sandbox.read_file(path) == b"ours"
        result = await sandbox.run(("sh", "-c", "ls /passwd /tmp/passwd; cat /etc/passwd"))
        assert result.stdout.startswith(b"worker:")

    loop.run(attempt())
