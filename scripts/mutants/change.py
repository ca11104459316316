"""One small way to break a module, named by what stays when lines move."""

import hashlib
from typing import NamedTuple


class Change(NamedTuple):
    """A stretch of a module's bytes, and what stands there instead."""

    module: str
    """Below the product, as `gates/judge/content.py`."""
    function: str
    """Where it is, as `Masker.mask`; empty for what is done when the module is imported."""
    names: tuple[str, ...]
    """What the statement binds that it belongs to, outside of functions."""
    was: str
    """The lines it touches, each without the space around it, in one."""
    now: str
    first: int
    last: int
    at_import: bool
    """Done once, when the module is imported."""
    statement: tuple[int, int]
    """The lines of the smallest statement, or head of one, that it is in."""
    start: int
    end: int
    text: str

    @property
    def package(self) -> str:
        return self.module.partition("/")[0]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is known by in the file of equals."""
        return (self.module, self.function, self.was, self.now)

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]

    def rank(self, seed: int) -> str:
        """Where it stands in the order of a seed, wherever the lines of others go."""
        return hashlib.sha256("\0".join((str(seed), *self.key)).encode()).hexdigest()
