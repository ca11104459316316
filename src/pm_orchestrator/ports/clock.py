"""Time and fresh names, so that a run can be made to happen again exactly."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time for records, monotonic time for deadlines."""

    def now(self) -> datetime:
        """The current moment, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class IdSource(Protocol):
    """Unguessable names."""

    def token(self, length: int = 12) -> str:
        """`length` lower-case hexadecimal characters."""
        ...
