"""The table at the end of a run of the corpus: what escaped and what was refused, by rule."""

from collections.abc import Iterable, Iterator

import msgspec

from pm_orchestrator.testing.corpus.case import Kind, Place


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """One case in one place, and what was wrong with its verdict."""

    name: str
    rule: int
    kind: Kind
    place: Place
    status: str
    wrong: str | None


def table(tried: Iterable[Tried]) -> Iterator[str]:
    """The lines of the table, then the names of the cases that went wrong."""
    all_tried = sorted(tried, key=lambda one: (one.rule, one.kind, one.name, one.place))
    if not all_tried:
        return
    yield f"{'rule':>5} {'lies':>6} {'escaped':>8} {'honest':>7} {'refused':>8}"
    for rule in sorted({one.rule for one in all_tried}):
        yield _line(str(rule), [one for one in all_tried if one.rule == rule])
    yield _line("all", all_tried)
    for one in all_tried:
        if one.wrong is not None:
            yield f"rule {one.rule}, {one.place}: {one.name}: {one.wrong}"


def _line(name: str, tried: list[Tried]) -> str:
    lies = [one for one in tried if one.kind == "lie"]
    honest = [one for one in tried if one.kind == "honest"]
    return f"{name:>5} {len(lies):>6} {_wrong(lies):>8} {len(honest):>7} {_wrong(honest):>8}"


def _wrong(tried: list[Tried]) -> int:
    return sum(one.wrong is not None for one in tried)
