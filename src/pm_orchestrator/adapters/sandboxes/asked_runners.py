"""How test runners in a sandbox are asked what they report, and where it lies there.

As on the host, without a variable or an argument: Python runs what is in its user's package
folder, which is the sandbox's own and empty; and where a node is, a few lines stand that
start it with a file of ours. What they report stays in a small place inside, which has a
size, until the tool server reads it.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from pm_orchestrator.adapters.reporters.interpreters import reporter_files
from pm_orchestrator.adapters.reporters.node_programs import (
    PRELOAD,
    boot_text,
    node_programs,
    preload_files,
    start_file,
)

PLACE = Path("/run/pm-orchestrator")
REPORTS = PLACE / "reports"
LONGEST_REPORT = 64 * 1024**2
PROGRAMS = ("/usr/local/bin", "/usr/bin")
"""All that is to be seen of the host's."""
MOST_NODES = 3
"""As many descriptors as a shell can name, beside those for files of /etc."""
COLLECT = """\
import os, stat, sys
left = int(sys.argv[2])
for name in sorted(os.listdir(sys.argv[1])):
    path = os.path.join(sys.argv[1], name)
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        is_file = stat.S_ISREG(os.fstat(file).st_mode)
    except OSError:
        continue
    while is_file and left > 0 and (data := os.read(file, min(left, 65536))):
        left -= len(data)
        sys.stdout.buffer.write(data)
    os.close(file)
"""
"""Prints the reports; what a test put in the place of one may be anything, and says nothing."""


class AskedRunners(msgspec.Struct, frozen=True, kw_only=True):
    """What a sandbox has to hold so that runners in it report."""

    files: Mapping[str, str]
    """Texts by their paths inside."""
    nodes: tuple[tuple[Path, Path, str], ...]
    """Programs, where each is to be found besides, and what stands in its place."""


def asked_runners(
    home: str, packages: tuple[str, ...] = (), folders: tuple[str, ...] = PROGRAMS
) -> AskedRunners:
    """For the interpreters and nodes that are to be seen in every sandbox, and for environments
    of the project's own with these package folders: those look into no user's.
    """
    files = {str(PLACE / name): text.decode() for name, text in preload_files().items()}
    reporter = reporter_files(REPORTS)
    own = list(packages)
    for version in {path.name for at in folders for path in Path(at).glob("python3.[0-9]*")}:
        if version.removeprefix("python3.").isdigit():
            own.append(str(Path(home, ".local/lib", version, "site-packages")))
    for folder in own:
        files |= {f"{folder}/{name}": file.content.decode() for name, file in reporter.items()}
    nodes: list[tuple[Path, Path, str]] = []
    for number, program in enumerate(_nodes(folders)):
        boot, real = PLACE / f"{number}.cjs", PLACE / f"node{number}"
        files[str(boot)] = boot_text(PLACE / PRELOAD, REPORTS, program).decode()
        nodes.append((program, real, start_file(real, boot).content.decode()))
    return AskedRunners(files=files, nodes=tuple(nodes))


def _nodes(folders: tuple[str, ...]) -> tuple[Path, ...]:
    found = node_programs(PLACE, ":".join(folders))
    return tuple(at for at in found if at.is_relative_to("/usr"))[:MOST_NODES]
