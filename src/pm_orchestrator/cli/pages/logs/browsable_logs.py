"""The logs of a session as pages that a reader goes to and fro between."""

from collections.abc import Callable

import msgspec


class LogPages(msgspec.Struct, frozen=True, kw_only=True):
    """The pages of the log browser, made when they are looked at."""

    ids: tuple[str, ...]
    """The tasks of the list, in its order."""
    list_page: Callable[[int], str]
    """The list with the mark on one of its tasks, counted from 0."""
    detail_page: Callable[[str, bool], str]
    """One task, in summary or in full."""
    tree_page: Callable[[], str]
