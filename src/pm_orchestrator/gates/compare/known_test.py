"""One test as it stands in a file."""

import msgspec


class KnownTest(msgspec.Struct, frozen=True, kw_only=True):
    """What can be said of a test without running it."""

    name: str
    skipped: bool
    checks: int
    """How many places in it could make it fail."""
    body: str
    """Its text without layout, to recognise it elsewhere."""

    @property
    def last_name(self) -> str:
        return self.name.rsplit(".", 1)[-1]
