"""The same, whatever the chunks look like."""

import pytest

from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.stream import HOLD, MaskingStream
from pm_orchestrator.testing.data.secrets import LOOK_ALIKES, Planted, planted_secrets

SECRETS = planted_secrets()
KEY = "s" + "k-" + "aB3dE5fG7h" * 5
HEAD = "-----BEGIN PRIVATE" + " KEY-----"
FOOT = "-----END PRIVATE" + " KEY-----"


def stream(*chunks: str) -> str:
    stream = MaskingStream(Masker())
    return "".join([*(stream.feed(chunk) for chunk in chunks), stream.flush()])


@pytest.mark.parametrize("planted", SECRETS, ids=range(len(SECRETS)))
def test_a_secret_is_caught_wherever_it_is_split(planted: Planted) -> None:
    text = f"before\n{planted.text}\nafter\n"
    expected = Masker().mask(text).text
    for place in range(len(text) + 1):
        assert stream(text[:place], text[place:]) == expected
    assert stream(*text) == expected


def test_ordinary_text_passes_through_unchanged() -> None:
    text = "\n".join(LOOK_ALIKES)
    assert stream(*text) == text


def test_a_finished_line_comes_out_at_once() -> None:
    stream = MaskingStream(Masker())
    assert stream.feed("one\ntw") == "one\n"
    assert stream.feed("o\n") == "two\n"
    assert stream.flush() == ""
    assert not stream.found


def test_a_line_that_announces_a_value_waits_for_it() -> None:
    stream = MaskingStream(Masker())
    assert stream.feed("password:\n") == ""
    assert stream.feed("  aB3dE5fG7h\n") == "[MASKED:GENERIC_SECRET]\n"
    assert stream.found


def test_a_private_key_waits_for_its_end() -> None:
    stream = MaskingStream(Masker())
    assert stream.feed(f"a\n{HEAD}\nMIIabc\n") == "a\n"
    assert stream.feed(f"{FOOT}\nb\n") == "[MASKED:PRIVATE_KEY]\nb\n"


def test_what_is_held_back_is_bounded() -> None:
    stream = MaskingStream(Masker())
    given = sum(len(stream.feed("word " * 200)) for _ in range(1000))
    assert given >= 1000 * 1000 - HOLD - 1000
    assert given + len(stream.flush()) == 1000 * 1000


def test_an_endless_line_is_cut_around_its_secrets() -> None:
    text = ("word " * 900 + KEY + " ") * 40
    result = stream(*(text[place : place + 777] for place in range(0, len(text), 777)))
    assert result == Masker().mask(text).text


def test_an_endless_line_without_any_space_is_cut_too() -> None:
    text = "ab/" * 60_000
    assert stream(*(text[place : place + 5000] for place in range(0, len(text), 5000))) == text


def test_an_endless_secret_is_swallowed_to_the_end_of_its_line() -> None:
    chunks = ["Cookie: a=b; " + "c=d; " * 100, *["e=secretpart; " * 100] * 100, "\nnext\n"]
    assert stream(*chunks) == "[MASKED:COOKIE]\nnext\n"


def test_an_endless_private_key_is_swallowed_to_the_end_of_its_body() -> None:
    chunks = [f"{HEAD}\n", *["aB3dE5fG7h\n" * 100] * 100, '"next\n']
    assert stream(*chunks) == '[MASKED:PRIVATE_KEY]"next\n'


def test_after_a_flush_it_starts_afresh() -> None:
    stream = MaskingStream(Masker())
    for _ in range(200):
        stream.feed("Cookie: a=" + "b" * 1000)
    stream.flush()
    assert stream.feed("plain\n") == "plain\n"
