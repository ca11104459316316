"""Secrets that a change brings into a file.

Masking may take too much, for it only blackens a log. This rule stops work, so it
names nothing but what is sure: keys in a vendor's own form that a person did not make
up, private keys with a body, and the values of the user's own secret variables. What
was in the file before is the user's business.
"""

from collections.abc import Iterable, Iterator

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.domain.record import Record
from pm_orchestrator.evidence.masking.masker import literal_forms, literal_lines
from pm_orchestrator.evidence.masking.placeholders import is_placeholder
from pm_orchestrator.evidence.masking.randomness import looks_random
from pm_orchestrator.evidence.masking.secret_forms import (
    LITERAL,
    PEM_BEGIN,
    PREFIXED,
    PRIVATE_KEY,
    SecretForm,
)

# What stands behind each prefix in a real key, at least. Stripe's test keys are left out:
# they open nothing, and honest tests hold them.
SHORTEST: dict[str, int] = {
    "sk-ant-": 40,
    "sk-": 32,
    **{f"gh{kind}_": 36 for kind in "oprsu"},
    "github_pat_": 60,
    **{f"gl{kind}-": 20 for kind in ("pat", "ptt", "dt", "rt", "cbt", "ft", "soat")},
    **dict.fromkeys(("AKIA", "ASIA", "ABIA", "ACCA"), 16),
    "AIza": 35,
    "ya29.": 40,
    "GOCSPX-": 24,
    "xox": 30,
    "xapp-": 40,
    "sk_live_": 24,
    "rk_live_": 24,
    "npm_": 36,
    "pypi-": 80,
    "hf_": 34,
    "gsk_": 48,
    "xai-": 60,
    "dop_v1_": 64,
    "dapi": 32,
    "SG.": 66,
    "AGE-SECRET-KEY-": 51,
}
SURE_BODY = {"sk-": LatePattern(r"(?:proj|svcacct|admin|None|or-v1)-|[A-Za-z0-9]{32}")}
"""How a body must begin where the prefix alone is also that of style sheets."""
LONGEST = 400
"""A longer run of such characters is data, not a key."""
_DATA_BEFORE = LatePattern(r"[A-Za-z0-9+/_-]{20}\Z")
"""Directly in front of a key this means: in the middle of data, by chance."""

KEY_WINDOW = 16 * 1024
"""A private key ends within this many characters."""
SHORTEST_KEY_BODY = 64
_DASHES = "-----"
_BASE64 = LatePattern(
    r"(?:\\[rnt]|[^A-Za-z0-9\\]|\\|(?:Proc-Type|DEK-Info): ?[\w,-]+)*?([A-Za-z0-9+/=]{16,})"
)
"""The next line of a key. Between two lines is what quotes, joins or indents them, never a word."""

FoundSecrets = dict[str, tuple[str, int]]
"""Each secret with its kind and the place where it stands first."""


class SecretFound(Record, frozen=True, kw_only=True):
    """A secret that a change brought in; nothing of the secret itself."""

    kind: str
    line: int
    """Counted from 1, in the new content."""
    sample: str
    """What a person may be shown in its place."""


def new_secrets(
    before: bytes | None, after: bytes, literals: Iterable[str] = ()
) -> tuple[SecretFound, ...]:
    """Secrets of `after` that `before` does not hold, each once, from top to bottom.

    `literals` are values that are secret whatever they look like, as a Masker has them.
    """
    values = tuple(literals)
    text = after.decode("utf-8", "replace")
    found = _secrets(text, values)
    if not found:
        return ()
    known = _secrets(before.decode("utf-8", "replace"), values) if before else {}
    new = sorted((place, kind) for value, (kind, place) in found.items() if value not in known)
    return tuple(_named(text, new))


def _named(text: str, new: Iterable[tuple[int, str]]) -> Iterator[SecretFound]:
    line, seen = 1, 0
    for place, kind in new:
        line += text.count("\n", seen, place)
        seen = place
        yield SecretFound(kind=kind, line=line, sample=f"[MASKED:{kind}]")


def _secrets(text: str, literals: tuple[str, ...]) -> FoundSecrets:
    found: FoundSecrets = {}
    for rule in PREFIXED:
        if rule.triggers[0] in SHORTEST and rule.triggers[0] in text:
            for place, key in _keys(rule, text):
                found.setdefault(key, (rule.name, place))
    for place, body in _private_keys(text):
        found.setdefault(body, (PRIVATE_KEY, place))
    for line in literal_lines(literals):
        # Somebody may have set a variable to a word, which then is everywhere.
        places = [place for form in literal_forms(line) if (place := text.find(form)) >= 0]
        if places and looks_random(line) and not any(line in key for key in found):
            found[line] = (LITERAL, min(places))
    return found


def _keys(rule: SecretForm, text: str) -> Iterator[tuple[int, str]]:
    prefix = rule.triggers[0]
    for match in rule.pattern.finditer(text):
        start, end = match.span()
        if not SHORTEST[prefix] <= end - start - len(prefix) <= LONGEST:
            continue
        if _DATA_BEFORE.search(text, max(0, start - 20), start):
            continue
        body = match[0][len(prefix) :]
        sure = SURE_BODY.get(prefix)
        if (sure is None or sure.match(body)) and not is_placeholder(body):
            yield start, match[0]


def _private_keys(text: str) -> Iterator[tuple[int, str]]:
    if f"{_DASHES}BEGIN " not in text:
        return
    for begin in PEM_BEGIN.finditer(text):
        end = text.find(_DASHES, begin.end(), begin.end() + KEY_WINDOW)
        window = text[begin.end() : end if end >= 0 else begin.end() + KEY_WINDOW]
        body = _key_body(window)
        if len(body) >= SHORTEST_KEY_BODY and not is_placeholder(body):
            yield begin.start(), body


def _key_body(window: str) -> str:
    body, place = "", 0
    while line := _BASE64.match(window, place):
        body, place = body + line[1], line.end()
    return body
