"""The raw log of a record as it lies on disk: plain, or compressed where that saves a block.

Hashes are over the bytes on disk, so nothing has to be unpacked to be checked.
"""

import zlib

WORTH_IT = 4096
"""A log that fits into one block of a disk saves nothing."""
PACKED = ".gz"
GZIP = 31
"""Tells zlib to write and read what every `zcat` understands."""


def stored(name: str, log: bytes, *, compress: bool) -> tuple[str, bytes]:
    """Under which name, and as which bytes, a log is kept."""
    if not compress or len(log) <= WORTH_IT:
        return name, log
    return name + PACKED, zlib.compress(log, wbits=GZIP)


def content(name: str, data: bytes) -> bytes:
    """The log that was kept as `data` under `name`.

    Raises:
        ValueError: they are not what `stored` made.
    """
    if not name.endswith(PACKED):
        return data
    try:
        return zlib.decompress(data, wbits=GZIP)
    except zlib.error as error:
        raise ValueError(str(error)) from error
