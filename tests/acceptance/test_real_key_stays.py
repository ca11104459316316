"""The real key of a vendor goes from the environment to the vendor, and is nowhere else.

Looked for as bytes while a company works and after it: in the environment and the arguments
of every process below ours, in every file it leaves, and in all that it says.
"""

import base64
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE, TRIPLE, TWO
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.data.secrets import kept_text
from pm_orchestrator.testing.scripted.scripted_company import Part

pytestmark = [pytest.mark.timeout(120), pytest.mark.unmeasured]
CANARY = "canary-" + "7Qx2mZ9pLw4Kd8Rt"
VARIABLES = (
    *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"),
    *("ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
)
KEYS = {name: f"{CANARY}-{number}" for number, name in enumerate(VARIABLES)}
"""A key for every vendor, each of its own."""
SHAPES = (CANARY.encode(), base64.b64encode(CANARY.encode())[:-2], CANARY.encode().hex().encode())


def holds_one(data: bytes) -> bool:
    return any(shape in data for shape in SHAPES)


class Below:
    """Every process below one of ours: what it was started with, as long as it was seen."""

    def __init__(self) -> None:
        self.seen: dict[int, str] = {}
        self.leaks: set[str] = set()

    def look(self, root: int) -> None:
        """At all of them as they are now."""
        for pid in _children(root):
            self.look(pid)
            # What has been forked and not begun its own program yet is still ourselves.
            before = _read(Path(f"/proc/{pid}/cmdline"))
            given = _read(Path(f"/proc/{pid}/environ"))
            after = _read(Path(f"/proc/{pid}/cmdline"))
            if before != after or after == _read(Path(f"/proc/{root}/cmdline")):
                continue
            said = after.replace(b"\0", b" ").decode(errors="replace")
            self.seen[pid] = said
            if holds_one(given):
                self.leaks.add(f"the environment of {said}")
            if holds_one(after):
                self.leaks.add(f"the arguments of {said}")


def _children(pid: int) -> list[int]:
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []
    return [int(child) for each in threads for child in _read(each / "children").split()]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        # It has ended, or is about to.
        return b""


@contextmanager
def watched(root: int) -> Generator[Below]:
    """Look again and again, as fast as it goes."""
    below, over = Below(), threading.Event()

    def watch() -> None:
        while not over.is_set():
            below.look(root)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield below
    finally:
        over.set()
        thread.join(10)


def left(*places: Path) -> list[str]:
    """Files with a key in content or name, compressed ones and git's objects opened."""
    files = [path for place in places for path in place.rglob("*") if path.is_file()]
    return [
        str(path)
        for path in files
        if holds_one(kept_text(path)) or holds_one(path.read_bytes()) or holds_one(bytes(path))
    ]


NOSY = Part(
    title=DOUBLE.title,
    body=DOUBLE.body
    + "env > found.txt; cat /proc/*/environ >> found.txt 2>/dev/null; ps aux >> found.txt 2>&1\n"
    + "cat found.txt; grep -c 'canar[y]-' found.txt > counted.txt; rm -f found.txt\n",
    files=(*DOUBLE.files, "counted.txt"),
    says="I have looked everywhere.",
)
"""A worker that looks for keys wherever it can, and keeps how many it has found."""


@pytest.mark.long
def test_no_key_is_anywhere_in_a_company_run(
    bench: CompanyBench, home: Path, tmp_path: Path
) -> None:
    cassette = tmp_path / "run.json"
    bench.company.plans(NOSY, TRIPLE)
    env = {**KEYS, "ANTHROPIC_BASE_URL": bench.company.environment["ANTHROPIC_BASE_URL"]}
    asked = ("run", TWO, "--json", "--record", str(cassette))
    with bench.started(*asked, env=env) as running, watched(running.pid) as below:
        code = running.ends(100)
    assert code == 0, running.out + running.err
    # The watch has seen the sandboxes, and so would have seen what they were given.
    assert any("bwrap" in line for line in below.seen.values()), below.seen
    assert below.leaks == set()
    assert not holds_one((running.out + running.err).encode())
    commit = json.loads(running.out)["commit"]
    assert bench.repository.git("show", f"{commit}:counted.txt").strip() == "0"
    pages = [bench(*page, env=env) for page in (("doctor", "--report"), ("runs",), ("logs",))]
    assert [page.out for page in pages if holds_one((page.out + page.err).encode())] == []
    assert cassette.exists()
    assert left(bench.root, home, tmp_path) == []
    # It did reach the vendor, each time in its header and nowhere else.
    shown = bench.company.shown_keys()
    assert set(shown) == {KEYS["ANTHROPIC_API_KEY"]}


@pytest.mark.parametrize("status", [401, pytest.param(500, marks=pytest.mark.long)])
def test_no_key_is_in_what_a_failure_says(
    bench: CompanyBench, home: Path, tmp_path: Path, status: int
) -> None:
    """The vendor repeats the key it was shown, as some do."""
    bench.company.plans(DOUBLE)
    bench.company.repeats_keys(status)
    env = {**KEYS, "ANTHROPIC_BASE_URL": bench.company.environment["ANTHROPIC_BASE_URL"]}
    ran = bench("run", ONE if status == 401 else TWO, "--json", env=env)
    assert ran.code != 0
    assert not holds_one((ran.out + ran.err).encode())
    assert left(bench.root, home, tmp_path) == []
