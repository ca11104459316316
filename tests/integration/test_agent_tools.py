"""The tools of an agent in a real sandbox, with real programs."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from pm_orchestrator.adapters.sandboxes.bwrap import BwrapRuntime
from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.system_clock import SystemClock
from pm_orchestrator.agents.tools.toolbox import Toolbox
from pm_orchestrator.domain.company.model_conversation import ToolCall, ToolResult
from pm_orchestrator.ports.sandbox import Sandbox, SandboxSpec
from pm_orchestrator.testing.programs.traces import living, unique_sleep, wait_until_living

pytestmark = pytest.mark.black_box


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    runtime = BwrapRuntime(
        LocalCommands(kill_grace_s=0.2), search_path="/usr/bin:/bin", kill_grace_s=0.2
    )
    opened = await runtime.open(SandboxSpec(name="tools"))
    yield opened
    await opened.close()


@pytest.fixture
async def box(sandbox: Sandbox) -> AsyncIterator[Toolbox]:
    made = Toolbox(sandbox, "20260115-ab12-01", SystemClock())
    yield made
    await made.close()


async def use(box: Toolbox, name: str, **arguments: Any) -> ToolResult:
    return await box.call(ToolCall(id="c1", name=name, arguments=arguments))


@pytest.mark.parametrize("line", ["vim a.txt", "git log | less", "env A=1 sh -c 'nano a'"])
async def test_an_interactive_command_is_never_started(box: Toolbox, line: str) -> None:
    """E-13 Interactive Command Rejection: it is answered with an error, at once."""
    refused = await use(box, "run_command", command=line)
    assert refused.is_error
    assert "nobody is there" in refused.content


async def test_a_server_goes_on_while_its_agent_asks_it(box: Toolbox) -> None:
    """E-14 Server Command Background Execution: it has an id, and serves what is asked."""
    await use(box, "write_file", path="page.txt", content="served\n")
    started = await use(box, "run_command", command="python3 -u -m http.server 8765")
    assert started.content.startswith("c1 is running")
    up = await use(box, "command_output", id="c1", containing="Serving", wait_seconds=60)
    assert "Serving HTTP" in up.content
    page = "http://127.0.0.1:8765/page.txt"
    asking = f"python3 -c \"import urllib.request as r; print(r.urlopen('{page}').read())\""
    asked = await use(box, "run_command", command=asking)
    assert asked.content == "b'served\\n'"
    stopped = await use(box, "stop_command", id="c1")
    assert stopped.content.startswith("c1 was stopped")
    assert "GET /page.txt" in stopped.content
    assert (await use(box, "run_command", command=asking)).is_error


async def test_nothing_that_runs_outlives_its_tools(box: Toolbox) -> None:
    """E-14 Server Command Background Execution: all of it ends with the attempt."""
    mark = unique_sleep()
    await use(box, "run_command", command=f"sleep {mark} & sleep {mark}", background=True)
    assert await asyncio.to_thread(wait_until_living, mark)
    await box.close()
    assert living(mark) == []


async def test_output_comes_in_the_order_in_which_it_was_written(box: Toolbox) -> None:
    script = "for n in 1 2 3 4; do echo out $n; echo err $n >&2; done; exit 3"
    result = await use(box, "run_command", command=script)
    said = [f"{kind} {number}" for number in range(1, 5) for kind in ("out", "err")]
    assert result.content == "\n".join(["exit code 3", *said])


async def test_a_syntax_error_and_a_missing_program_are_told(box: Toolbox) -> None:
    for line, said in (("if then", "yntax error"), ("no-such-program", "not found")):
        result = await use(box, "run_command", command=line)
        assert result.is_error
        assert said in result.content


async def test_a_repository_is_searched_and_compared(box: Toolbox) -> None:
    identity = "git config user.name a; git config user.email a@localhost"
    await use(box, "run_command", command=f"git init -q . && {identity}")
    await use(box, "write_file", path="src/calc.py", content="def add(a, b):\n    return a + b\n")
    await use(box, "write_file", path="文書.txt", content="足し算 add\n")
    await use(box, "write_file", path=".gitignore", content="build/\n")
    await use(box, "write_file", path="build/calc.py", content="def add(): ...\n")
    found = await use(box, "search_files", pattern=r"add\(|算")
    assert found.content.split("\n") == ["src/calc.py:1:def add(a, b):", "文書.txt:1:足し算 add"]
    python = await use(box, "search_files", pattern="ADD", path="*.py", ignore_case=True)
    assert python.content == "src/calc.py:1:def add(a, b):"
    assert (await use(box, "search_files", pattern="a(", literal=True)).content == "(nothing found)"
    assert (await use(box, "search_files", pattern="a(")).is_error
    assert (await use(box, "search_files", pattern="x", path="../etc")).is_error
    committed = await use(box, "git_commit", message="Add it")
    assert committed.content.startswith("committed ")
    await use(box, "edit_file", path="src/calc.py", edits=[{"old": "a + b", "new": "b + a"}])
    changed = await use(box, "git_diff")
    assert "-    return a + b\n+    return b + a" in changed.content
    assert (await use(box, "git_status")).content == " M src/calc.py\n"
    assert (await use(box, "git_diff", since="nowhere")).is_error


DIFF = (
    "@@ -1,4 +1,4 @@\n eins\n-zwei\n+zwo\n drei\n vier\n@@ -6,2 +6,3 @@\n sechs\n sieben\n+acht\n"
)


async def test_a_diff_does_to_a_file_what_git_does_with_it(box: Toolbox) -> None:
    """E-17 File Edit Consistency: the result matches the application of the diff."""
    words = "eins\nzwei\ndrei\nvier\nfünf\nsechs\nsieben\n"
    for name in ("mine", "theirs"):
        await use(box, "write_file", path=name, content=words)
    applied = f"git apply - <<'EOF'\n--- a/theirs\n+++ b/theirs\n{DIFF}EOF\ncmp mine theirs"
    edited = await use(box, "edit_file", path="mine", diff=DIFF)
    assert (edited.is_error, edited.content) == (False, "edited mine")
    same = await use(box, "run_command", command=applied)
    assert (same.is_error, same.content) == (False, "(no output)")


@pytest.mark.parametrize(
    ("made", "path", "said"),
    [
        ("mkfifo pipe", "pipe", "not a file"),
        ("ln -s /dev/zero zero", "zero", "outside"),
        ("truncate -s 4G sparse", "sparse", "sed -n"),
        ("mkdir folder", "folder", "list_directory"),
        ("printf '\\0\\1' > bytes", "bytes", "no text"),
        ("ln -s loop loop", "loop", "many"),
        ("true", "/etc/passwd", "outside"),
        ("true", "a/../../etc/passwd", ".."),
    ],
)
async def test_what_cannot_be_read_is_answered_at_once(
    box: Toolbox, made: str, path: str, said: str
) -> None:
    await use(box, "run_command", command=made)
    result = await use(box, "read_file", path=path)
    assert result.is_error
    assert said in result.content
    assert len(result.content) < 1_000


async def test_a_name_with_a_newline_is_shown_on_one_line(box: Toolbox) -> None:
    await use(box, "run_command", command="printf 1 > 'a\nb'")
    listed = await use(box, "list_directory")
    assert len(listed.content.split("\n")) == 1
    name = listed.content.split(None, 2)[2]
    assert (await use(box, "read_file", path=name)).content.startswith("     1\t1")
