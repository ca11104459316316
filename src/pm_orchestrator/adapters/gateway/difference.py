"""How a question differs from the recorded one, so that a person sees what to do about it."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher

from pm_orchestrator.adapters.gateway.cassette import Take
from pm_orchestrator.adapters.gateway.normalise import RequestDigest, differing

MOST_LINES = 6
"""Of one part."""
LONGEST_LINE = 100
BEFORE = 30
"""Characters that are shown before two lines part."""
LEGEND = "(- as recorded, + as asked)"
EARLIER = "the last words are the same; what was said before them differs"


def nearest_take(takes: Iterable[Take], asked: RequestDigest, words: str) -> Take | None:
    """The recorded question that comes nearest to one that was not recorded."""

    def distance(take: Take) -> tuple[int, float]:
        apart = len(differing(take.digest, asked)) if take.digest is not None else 0
        return (apart, -SequenceMatcher(None, take.asked, words).quick_ratio())

    return min((take for take in takes if take.digest is not None), key=distance, default=None)


def shown_difference(
    recorded: Mapping[str, str | None], asked: Mapping[str, str], parts: Iterable[str]
) -> str:
    """Lines of `parts` that were recorded (-), and that are asked (+) in their place.

    A part whose recorded words are not known is left out.
    """
    shown: list[str] = []
    for part in parts:
        before = recorded.get(part)
        if before is None:
            continue
        lines = list(_changes(before.splitlines(), asked[part].splitlines())) or [EARLIER]
        more = ["…"] if len(lines) > MOST_LINES else []
        shown += [f"{part}:", *(f"  {line}" for line in [*lines[:MOST_LINES], *more])]
    return "".join(f"\n  {line}" for line in [*shown, LEGEND]) if shown else ""


def _changes(before: list[str], after: list[str]) -> Iterator[str]:
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for place in range(max(b - a, d - c)):
            gone = before[a + place] if a + place < b else None
            new = after[c + place] if c + place < d else None
            start = 0 if gone is None or new is None else _alike(gone, new)
            if gone is not None:
                yield f"- {_cut(gone, start)}"
            if new is not None:
                yield f"+ {_cut(new, start)}"


def _alike(one: str, other: str) -> int:
    """How many characters two lines have in common before they part."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _cut(line: str, parts_at: int) -> str:
    begin = max(parts_at - BEFORE, 0)
    head, tail = "…" if begin else "", "…" if len(line) > begin + LONGEST_LINE else ""
    return f"{head}{line[begin : begin + LONGEST_LINE]}{tail}"
