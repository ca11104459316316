"""Text leaves through the masker: files through `MaskedFiles`, the screen through `Screen`.

Whoever writes or prints in another way is named here, with the reason why no secret can be
in what it writes, or what else takes it out.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pm_orchestrator.testing.data.reach import parsed

SOURCE = Path(__file__).parents[2] / "src" / "pm_orchestrator"
NOT_SHIPPED = ("testing/", "cli/demo/", "cli/bench/")

WRITERS = {
    "adapters/stores/local_files.py": "what MaskedFiles hands on",
    "adapters/stores/write_ahead.py": "a second copy of what LocalFiles writes",
    "adapters/sandboxes/prepared/layer_store.py": "names of directories, and their size",
    "adapters/stores/owner_files.py": "process numbers and names of ours",
    "adapters/queues/outbox.py": "what MaskedQueue hands on",
    "adapters/gateway/cassette.py": "the cassette of the demo, made by scripts/ for the product",
    "adapters/git/rescue/beside_the_tree.py": "the user's own files, put back as they were",
    "adapters/git/rescue/loose_objects.py": "the user's own files, saved as they are",
    "adapters/git/rescue/rescue_memo.py": "names of files in the rescue's own repository",
    "adapters/git/rescue/rescue_place.py": "settings of the rescue's own repository",
    "adapters/git/rescue/staging.py": "the user's own index",
    "adapters/git/run/bare_repository.py": "a path",
    "adapters/git/run/run_repository.py": "a bundle of commits",
    "adapters/git/user/git_checkout.py": "patterns of ours",
    "adapters/git/user/sheltered.py": "settings of ours",
    "adapters/processes/child_ends.py": "what a child process reads",
    "adapters/processes/directory_view.py": "paths for a child process",
    "adapters/processes/program_start.py": "an errno for the parent",
    "adapters/processes/supervisor.py": "a line for a child process",
    "adapters/reporters/test_reporter.py": "runs inside a gate, whose output is masked",
    "adapters/sandboxes/control_groups.py": "numbers for the kernel",
    "adapters/sandboxes/tool_server.py": "runs inside the sandbox",
    "adapters/sandboxes/tool_streams.py": "runs inside the sandbox",
    "adapters/sandboxes/workspace_files.py": "the agent's own files",
    "adapters/views/copies.py": "the user's own files, copied for a gate",
    "adapters/views/overlay_views.py": "the user's own files and scripts of ours, for a gate",
    "bootstrap/directory_watch.py": "digests of files, without those that are called by a secret",
    "cli/repl/interactive/history.py": "what was typed, masked there",
    "evidence/look/plain_open.py": "what its two callers have masked",
    "evidence/records/event_log.py": "masks its events itself, for the watchers too",
    "evidence/records/run_log.py": "masks its lines itself",
    "runner/places/judged/put_back.py": "the user's own files, put back as they were",
}
STORES = {
    "bootstrap/opening.py": "wrapped in MaskedFiles; for records that are only read",
    "bootstrap/initialising.py": "the settings of the user, which nobody may alter",
    "bootstrap/doctor/project_checks.py": "only reads",
    "bootstrap/doctor/surroundings.py": "only looks whether an adapter could work",
}
PRINTERS = {
    "cli/terminal/screen.py": "the one that masks",
    "cli/main.py": "the version, and two sentences of ours",
    "cli/program.py": "help of ours, and what it masks itself",
    "cli/repl/interactive/printing.py": "puts another stream in the place of the screen's own",
    "adapters/sandboxes/asked_runners.py": "runs inside a gate, whose output is masked",
}
METHODS = {"write_text", "write_bytes"}
OPENERS = {"open", "fdopen", "FileIO"}


def writes(source: str) -> list[int]:
    """Lines that put bytes into a file."""
    found = (node for node in ast.walk(parsed(source)) if isinstance(node, ast.expr))
    return [node.lineno for node in found if _writes(node)]


def _writes(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        if node.attr in METHODS:
            return True
        return node.attr == "write" and isinstance(node.value, ast.Name) and node.value.id == "os"
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name == "append_to":
        return True
    modes = [*node.args, *(word.value for word in node.keywords if word.arg == "mode")]
    texts = [mode.value for mode in modes if isinstance(mode, ast.Constant)]
    return name in OPENERS and any(
        isinstance(text, str) and text[:1] in {"w", "a", "x"} and len(text) < 4 for text in texts
    )


def makes_stores(source: str) -> list[int]:
    """Lines that make a store which writes what it is given."""
    return [
        node.lineno
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "LocalFiles"
    ]


def prints(source: str) -> list[int]:
    """Lines that reach the terminal."""
    return [
        node.lineno
        for node in ast.walk(parsed(source))
        if (isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"print", "echo"})
        or (
            isinstance(node, ast.Attribute)
            and node.attr in {"write", "writelines", "buffer", "stdout", "stderr"}
            and _is_stream(node)
        )
    ]


def _is_stream(node: ast.Attribute) -> bool:
    """`sys.stdout` where it is given away or written to; asking it something is no harm."""
    inner = node.value
    streams = {"stdout", "stderr"}
    if node.attr in streams:
        return False
    return (
        isinstance(inner, ast.Attribute)
        and inner.attr in streams
        and isinstance(inner.value, ast.Name)
        and inner.value.id == "sys"
    )


def _sources() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(NOT_SHIPPED):
            yield name, path.read_text("utf-8")


def test_nobody_else_writes() -> None:
    found = {name: lines for name, source in _sources() if (lines := writes(source))}
    assert {name: lines for name, lines in found.items() if name not in WRITERS} == {}
    assert set(WRITERS) <= set(found), "whoever is named needs it"


def test_nobody_else_makes_a_store() -> None:
    found = {name: lines for name, source in _sources() if (lines := makes_stores(source))}
    assert set(found) == set(STORES)


def test_nobody_else_prints() -> None:
    found = {name: lines for name, source in _sources() if (lines := prints(source))}
    assert {name: lines for name, lines in found.items() if name not in PRINTERS} == {}


@pytest.mark.parametrize(
    "offence",
    [
        "path.write_text(text)",
        "await asyncio.to_thread(path.write_bytes, data)",
        "os.write(handle, data)",
        "path.open('ab')",
        "open(path, mode='w')",
        "os.fdopen(handle, 'a', encoding='utf-8')",
        "append_to(path, data)",
    ],
)
def test_a_writer_is_found(offence: str) -> None:
    assert writes(offence)


@pytest.mark.parametrize("offence", ["print(x)", "sys.stdout.write(x)", "sys.stderr.buffer"])
def test_a_printer_is_found(offence: str) -> None:
    assert prints(offence)


@pytest.mark.parametrize("honest", ["path.open('rb')", "files.replace(path, data)", "x.write(y)"])
def test_others_are_left_alone(honest: str) -> None:
    assert not writes(honest)
    assert not prints(honest)
