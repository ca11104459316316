"""Masking of text that arrives in chunks, wherever the chunks happen to end.

Text is held back up to a line end that no secret can reach across, and then given
out as the masker sees it. What is held back is bounded: a line that never ends is
cut, but only where it is no part of a secret; and a secret that never ends is
swallowed as it comes.
"""

import re

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.secret_forms import KEY_LIMIT, PEM_BEGIN, PEM_BODY, PEM_END

HOLD = KEY_LIMIT + 4096
"""More than this is never kept."""
OVERLAP = 4096
"""How much of an endless line stays, so that a key that has just begun is seen whole."""
_LOOK_BACK = 160
# A name or a sign whose value may stand on the next line.
_OPEN_END = LatePattern(
    r"(?:[:=>]|bearer|basic|digest|token|negotiate|apikey|password|passwd|passphrase|pwd|secret"
    r"|key|credentials?|authorization|cookie)[\\\"']*\s{0,64}\Z",
    re.IGNORECASE,
)
_LINE = LatePattern(r"[^\n]*+")


class MaskingStream:
    """Feed chunks in, write out what comes back, and `flush` at the end."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._parts: list[str] = []
        self._held = 0
        self._swallowed: LatePattern | None = None
        self.found = False
        """Whether anything had to be masked so far."""

    def feed(self, chunk: str) -> str:
        """Take a chunk; returns what is safe to give out, which may be nothing."""
        if self._swallowed is not None:
            chunk = self._swallow(chunk, self._swallowed)
        self._parts.append(chunk)
        self._held += len(chunk)
        if "\n" not in chunk and self._held < HOLD:
            return ""
        text = "".join(self._parts)
        cut = _safe_line_end(text)
        if cut == 0 and len(text) >= HOLD:
            return self._cut_endless_line(text)
        self._keep(text[cut:])
        return self._out(text[:cut])

    def flush(self) -> str:
        """The rest; the stream is empty afterwards."""
        text = "".join(self._parts)
        self._keep("")
        self._swallowed = None
        return self._out(text)

    def _out(self, text: str) -> str:
        masked = self._masker.mask(text)
        self.found = self.found or masked.found
        return masked.text

    def _keep(self, text: str) -> None:
        self._parts = [text]
        self._held = len(text)

    def _cut_endless_line(self, text: str) -> str:
        whole = self._masker.mask(text).text
        for back in range(OVERLAP, HOLD // 2, OVERLAP):
            cut = _last_space(text, len(text) - back)
            parts = (self._masker.mask(text[:cut]).text, self._masker.mask(text[cut:]).text)
            if "".join(parts) == whole:
                # The same in two parts as in one: no secret reaches across the cut.
                self._keep(text[cut:])
                return self._out(text[:cut])
        # A secret without an end takes the rest of its line, or of its key, with it.
        self._swallowed = PEM_BODY if _is_open_key(text) else _LINE
        self._keep("")
        return self._out(text)

    def _swallow(self, chunk: str, swallowed: LatePattern) -> str:
        match = swallowed.match(chunk)
        rest = chunk[match.end() :] if match else chunk
        if rest:
            self._swallowed = None
        return rest


def _last_space(text: str, limit: int) -> int:
    """Just behind the last white space before `limit`; `limit` where there is none."""
    for index in range(limit, 0, -1):
        if text[index - 1].isspace():
            return index
    return limit


def _safe_line_end(text: str) -> int:
    """Just behind the last line end that no secret can reach across; 0 for none."""
    limit = len(text)
    key = _last_private_key(text)
    while (end := text.rfind("\n", 0, limit)) >= 0:
        if key is not None and key[0] < end < key[1]:
            limit = key[0]
            key = _last_private_key(text[:limit])
        elif _OPEN_END.search(text, max(0, end - _LOOK_BACK), end + 1):
            limit = end
        else:
            return end + 1
    return 0


def _is_open_key(text: str) -> bool:
    key = _last_private_key(text)
    return key is not None and key[1] > len(text)


def _last_private_key(text: str) -> tuple[int, int] | None:
    """From where to where; one that has not ended yet reaches beyond the text."""
    if "-----BEGIN " not in text:
        return None
    last: tuple[int, int] | None = None
    place = 0
    while begin := PEM_BEGIN.search(text, place):
        end = PEM_END.search(text, begin.end())
        place = len(text) + 1 if end is None else end.end()
        last = (begin.start(), place)
    return last
