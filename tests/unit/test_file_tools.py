"""Files as the tools of a model show and change them."""

from typing import Any

import pytest

from pm_orchestrator.agents.tools.toolbox import Toolbox
from pm_orchestrator.domain.company.model_conversation import ToolCall, ToolResult
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_sandbox import MemorySandbox


async def call(sandbox: MemorySandbox, name: str, **arguments: Any) -> ToolResult:
    box = Toolbox(sandbox, "20260115-ab12-01", FakeClock())
    return await box.call(ToolCall(id="c1", name=name, arguments=arguments))


def numbered_lines(content: str) -> list[int]:
    lines = (line.split("\t") for line in content.split("\n"))
    return [int(parts[0]) for parts in lines if len(parts) == 2]


async def test_a_file_is_read_in_parts_with_numbers() -> None:
    sandbox = MemorySandbox()
    sandbox.files["a.py"] = "".join(f"line {n}\n" for n in range(1, 3_001)).encode()
    first = await call(sandbox, "read_file", path="a.py")
    assert numbered_lines(first.content) == list(range(1, 801))
    assert first.content.endswith("[lines 1 to 800 of 3000; go on with start_line=801]")
    part = await call(sandbox, "read_file", path="a.py", start_line=2_999, lines=50)
    assert part.content == "  2999\tline 2999\n  3000\tline 3000"
    beyond = await call(sandbox, "read_file", path="a.py", start_line=3_001)
    assert (beyond.is_error, beyond.content) == (True, "it has 3000 lines; there is no line 3001")
    assert "lines" in (await call(sandbox, "read_file", path="a.py", lines=0)).content


async def test_what_is_read_is_bounded_whatever_its_lines_are() -> None:
    sandbox = MemorySandbox()
    sandbox.files["wide"] = ("w" * 90_000 + "\n").encode() * 3
    wide = await call(sandbox, "read_file", path="wide")
    assert "[88000 more characters in this line]" in wide.content
    assert len(wide.content) < 60_000
    sandbox.files["long"] = ("w" * 1_500 + "\n").encode() * 900
    long = await call(sandbox, "read_file", path="long")
    assert len(long.content) < 60_000
    assert "go on with start_line=33]" in long.content
    sandbox.files["empty"] = b""
    assert (await call(sandbox, "read_file", path="empty")).content == "(the file is empty)"
    sandbox.files["photo"] = b"\x89PNG\r\n\0\0\0"
    binary = await call(sandbox, "read_file", path="photo")
    assert (binary.is_error, "no text (9 bytes)" in binary.content) == (True, True)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "name = 'Zoë'\n"),
        ("utf-8-sig", "name = 'Zoë'\n"),
        ("latin-1", "name = 'Zoë'\n"),
        ("utf-16", "name = 'Zoë'\n"),
        ("euc_jp", "name = 'なまえ、漢字'\n"),
        ("cp932", "name = 'ナマエ、漢字'\n"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
async def test_encoding_and_line_ends_survive_every_edit(
    encoding: str, text: str, ending: str
) -> None:
    before = ("# before\n" + text + "# after\n").replace("\n", ending)
    sandbox = MemorySandbox()
    sandbox.files["a.py"] = before.encode(encoding)
    read = await call(sandbox, "read_file", path="a.py")
    assert text.strip() in read.content
    assert "\r" not in read.content
    edits = [{"old": "# before\nname", "new": "# first\nlabel"}]
    assert not (await call(sandbox, "edit_file", path="a.py", edits=edits)).is_error
    diff = "@@ -3 +3,2 @@\n-# after\n+# and\n+# last\n"
    assert not (await call(sandbox, "edit_file", path="a.py", diff=diff)).is_error
    more = await call(sandbox, "write_file", path="a.py", content="x = 1\n", append=True)
    assert not more.is_error
    wanted = "# first\n" + text.replace("name", "label") + "# and\n# last\nx = 1\n"
    assert sandbox.files["a.py"] == wanted.replace("\n", ending).encode(encoding)


async def test_edits_and_a_diff_are_one_or_the_other() -> None:
    sandbox = MemorySandbox()
    sandbox.files["a"] = b"1\n"
    for given in ({}, {"edits": [{"old": "1", "new": "2"}], "diff": "@@ -1 +1 @@\n-1\n+2\n"}):
        result = await call(sandbox, "edit_file", path="a", **given)
        assert (result.is_error, result.content) == (True, "give either edits or a diff")
    assert sandbox.files["a"] == b"1\n"


async def test_several_edits_are_all_done_or_none() -> None:
    sandbox = MemorySandbox()
    sandbox.files["a"] = b"one\ntwo\n"
    edits = [{"old": "one", "new": "1"}, {"old": "three", "new": "3"}]
    assert (await call(sandbox, "edit_file", path="a", edits=edits)).is_error
    diff = "@@ -1 +1 @@\n-one\n+1\n@@ -2 +2 @@\n-three\n+3\n"
    assert (await call(sandbox, "edit_file", path="a", diff=diff)).is_error
    assert sandbox.files["a"] == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("src/calc.pi", "Near it: src/calc.py."),
        ("other/x", "list_directory"),
        ("zzzz", "search_files"),
    ],
)
async def test_a_path_that_is_nearly_right_is_named(path: str, said: str) -> None:
    sandbox = MemorySandbox()
    sandbox.files["src/calc.py"] = b""
    result = await call(sandbox, "read_file", path=path)
    assert result.is_error
    assert said in result.content


async def test_a_crowded_directory_is_bounded() -> None:
    sandbox = MemorySandbox()
    sandbox.files |= {f"many/{number:05}": b"" for number in range(1_500)}
    listed = await call(sandbox, "list_directory", path="many")
    assert listed.content.endswith("[500 more; use run_command with ls and a pattern]")
