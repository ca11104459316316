"""The nodes of a project, and what stands in their place for a gate.

A node has no folder whose files it runs at its start, and a variable is lost to whoever sets
it anew. So a few lines of shell stand where the program is: they start it, from where it can
be reached besides, with a file of ours before all others. The program is told its own name.
"""

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from pm_orchestrator.ports.tree_views import PatchedFile

SCRIPTS = Path(__file__).with_name("node")
PRELOAD = "preload.cjs"
NAMES = ("node", "nodejs")
OWN = ("node_modules/node/bin", ".venv/bin", "venv/bin", "env/bin")
"""Where a project may have one of its own."""
MANAGED = ("versions/*/bin", "installs/node*/*/bin", "tools/image/node/*/bin")
"""Where managers of versions keep them, beside the folder on the path."""
MOST = 8
"""Programs; each costs a mount."""
ELF = b"\x7fELF"

START = """\
#!/bin/sh
case " $NODE_OPTIONS $* " in
*" --permission"* | *" --experimental-permission"*) exec {real} "$@" ;; # it may not read ours
esac
exec {real} --require {boot} "$@"
"""


def node_programs(root: Path, search_path: str) -> tuple[Path, ...]:
    """The nodes of the project and of the path, each by its real name."""
    found = dict.fromkeys(
        place.resolve()
        for folder in _folders(root, search_path)
        for place in (folder / name for name in NAMES)
        if place.is_file()
    )
    # One that is a script, or another program altogether, leads to one that is not.
    nodes = (at for at in found if at.name in NAMES and _is_program(at))
    return tuple(at for at in nodes if not root.is_relative_to(at.parent))[:MOST]


def preload_files() -> dict[str, bytes]:
    """What has to lie in one folder, from which `boot_text` loads it."""
    return {path.name: path.read_bytes() for path in sorted(SCRIPTS.glob("*.cjs"))}


def boot_text(preload: Path, report: Path, program: Path) -> bytes:
    """A file that loads ours into the node which is called `program`."""
    given = ", ".join(json.dumps(str(path)) for path in (report, program))
    return f"require({json.dumps(str(preload))})({given}, __filename);\n".encode()


def start_file(real: Path, boot: Path) -> PatchedFile:
    """What stands in the place of a node that can be reached at `real`."""
    text = START.format(real=shlex.quote(str(real)), boot=shlex.quote(str(boot)))
    return PatchedFile(content=text.encode("utf-8", "surrogateescape"), mode=0o755)


def _folders(root: Path, search_path: str) -> Iterator[Path]:
    yield from (root / name for name in OWN)
    for name in search_path.split(os.pathsep):
        if name:
            yield Path(name)
            for pattern in MANAGED if Path(name).name in {"shims", "bin"} else ():
                yield from sorted(Path(name).parent.glob(pattern))


def _is_program(place: Path) -> bool:
    try:
        with place.open("rb") as file:
            return file.read(len(ELF)) == ELF
    except OSError:
        return False
