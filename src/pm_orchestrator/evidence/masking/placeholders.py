"""Is it a key, or does it only stand for one?

Documentation and tests are full of values in the shape of a key. What gives them away
is that a person wrote them: words, the alphabet, one character over and over. A
generated key is none of that, by chances of a million to one; so unlike
`looks_random` this hardly ever says no to a real one.
"""

from itertools import pairwise

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.evidence.masking.randomness import is_wordy

FEWEST_DISTINCT = 7
STEPS = 0.6
"""The share of neighbours that are the same or follow each other."""
SPOKEN = 0.5
"""The share of a value that words of WORDS cover."""

TELLING = LatePattern(r"example|placeholder|redacted|changeme|change_me|notareal|not_a_real")
WORDS = LatePattern(
    "|".join(
        (
            *("anthropic", "password", "personal", "testing", "openai", "github", "gitlab"),
            *("insert", "replace", "sample", "secret", "string", "claude", "google", "access"),
            *("value", "token", "dummy", "paste", "stripe", "slack", "valid", "bogus", "mock"),
            *("fake", "test", "your", "here", "this", "that", "demo", "real", "none", "todo"),
            *("live", "only", "with", "from", "goes", "like", "some", "user", "prod", "proj"),
            *("key", "api", "not", "foo", "bar", "baz", "abc", "xyz", "123", "the", "for"),
            *("and", "put", "any", "is", "my", "id"),
        )
    )
)
KNOWN_EXAMPLES = ("16C7e42F292c6912" + "E7710c838347Ae178B4a",)
"""Bodies that vendors print in their own documentation."""
_HEXADECIMAL = LatePattern(r"[0-9a-f]+")


def is_placeholder(body: str) -> bool:
    """Whether a value behind the prefix of a key was made up by a person."""
    low = body.lower()
    return (
        len(set(body)) < FEWEST_DISTINCT
        or body in KNOWN_EXAMPLES
        or TELLING.search(low) is not None
        or _steps(body) >= STEPS
        or sum(map(len, WORDS.findall(low))) >= SPOKEN * len(body)
        or (body == low and not _HEXADECIMAL.fullmatch(low) and is_wordy(body))
    )


def _steps(body: str) -> float:
    pairs = [abs(ord(left) - ord(right)) <= 1 for left, right in pairwise(body)]
    return sum(pairs) / len(pairs)
