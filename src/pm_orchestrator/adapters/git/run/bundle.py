"""The first lines of a bundle, read by ourselves before git sees any of it.

A bundle comes from a place where a hostile program may have run. Its header says
which refs it carries and what it builds on; one that says anything unusual is
refused here, by a parser small enough to be read in a minute.
"""

import re

import msgspec

from pm_orchestrator.domain.errors import PmError

MAX_HEADER = 64 * 1024
MAX_PREREQUISITES = 16
SIGNATURES = (b"# v2 git bundle", b"# v3 git bundle")
CAPABILITY = re.compile(rb"@object-format=(sha1|sha256)")
PREREQUISITE = re.compile(rb"-([0-9a-f]{40}|[0-9a-f]{64})(?: .*)?")
REFERENCE = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) ([!-~]+)")


class BundleHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What a bundle says it holds."""

    prerequisites: tuple[str, ...]
    """Commits that must be here already."""
    refs: dict[str, str]
    """Ref name to object id."""


def read_header(data: bytes) -> BundleHeader:
    """Read the header strictly.

    Raises:
        PmError: E804 for anything but a plain, complete bundle header before a pack.
    """
    head, separator, _ = data[: MAX_HEADER + 6].partition(b"\n\n")
    if not separator:
        raise refused("its header has no end")
    if data[len(head) + 2 : len(head) + 6] != b"PACK":
        raise refused("no pack follows its header")
    signature, *lines = head.split(b"\n")
    if signature not in SIGNATURES:
        raise refused("it has no bundle signature")
    prerequisites: list[str] = []
    refs: dict[str, str] = {}
    for line in lines:
        if found := REFERENCE.fullmatch(line):
            name = found[2].decode("ascii")
            if name in refs:
                raise refused("it names a ref twice")
            refs[name] = found[1].decode("ascii")
        elif (found := PREREQUISITE.fullmatch(line)) and not refs:
            prerequisites.append(found[1].decode("ascii"))
        elif CAPABILITY.fullmatch(line) is None or prerequisites or refs:
            raise refused("its header has a line that does not belong there")
    if len(prerequisites) > MAX_PREREQUISITES:
        raise refused("it builds on too many commits")
    return BundleHeader(prerequisites=tuple(prerequisites), refs=refs)


def refused(reason: str) -> PmError:
    """The error for a bundle that is not taken."""
    return PmError("bundle_refused", reason=reason)


def renamed(bundle: bytes, ref: str, other: str) -> bytes:
    """The same bundle with one of its refs under another name."""
    header, end, pack = bundle.partition(b"\n\n")
    lines = [
        line[: -len(ref)] + other.encode() if line.endswith(f" {ref}".encode()) else line
        for line in header.split(b"\n")
    ]
    return b"\n".join(lines) + end + pack
