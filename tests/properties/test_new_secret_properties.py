"""New secrets over generated text: a real key is found wherever it stands, nothing else is."""

import random

from hypothesis import given, strategies as st

from pm_orchestrator.evidence.masking.new_secrets import new_secrets
from pm_orchestrator.testing.data.random_keys import random_key, real_shapes
from pm_orchestrator.testing.data.secrets import LOOK_ALIKES


def key_of(prefix: str, seed: int) -> str:
    """A generated key is random; Hypothesis' own text would be simple, as a placeholder is."""
    return random_key(prefix, random.Random(seed))


keys = st.builds(key_of, st.sampled_from(real_shapes()), st.integers(0, 2**64))
lines = st.lists(st.one_of(st.text(max_size=30), st.sampled_from(LOOK_ALIKES)), max_size=8)
edges = st.sampled_from(["\n", " ", '"', "'", "=", ":", "(", "\t", ",", "<", "\\n"])


@given(lines, lines, keys, edges)
def test_a_key_is_found_anywhere(above: list[str], below: list[str], key: str, edge: str) -> None:
    """R-24 API Key Secrecy: a key that a change brings in is named, and not shown."""
    text = "\n".join([*above, f"{edge}{key}{edge}", *below])
    (found,) = new_secrets("\n".join([*above, *below]).encode(), text.encode())
    assert found.line == text[: text.index(key)].count("\n") + 1
    assert key[-6:] not in repr(found)


@given(lines, st.binary(max_size=60))
def test_text_without_a_key_gives_nothing(texts: list[str], data: bytes) -> None:
    """R-24 API Key Secrecy: ordinary content is never taken for a key."""
    assert new_secrets(None, "\n".join(texts).encode() + data) == ()


@given(st.lists(st.one_of(keys, st.text(max_size=20)), max_size=6), st.randoms())
def test_lines_that_only_moved_give_nothing(texts: list[str], order: random.Random) -> None:
    """R-24 API Key Secrecy: only what a change brings in counts."""
    moved = [*texts]
    order.shuffle(moved)
    assert new_secrets("\n".join(texts).encode(), "\n".join(moved).encode()) == ()
