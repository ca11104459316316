"""Events and terminal text, told apart in whatever pieces they arrive."""

import json

from hypothesis import given, strategies as st

from pm_orchestrator.adapters.executors.output_lines import (
    HEAD_LIMIT,
    LINE_LIMIT,
    PARTS_LIMIT,
    SHOWN_LIMIT,
    TAIL_LIMIT,
    EventLines,
    Transcript,
)

TEXTS = ("working", "? Select", 'see {"a": 1}', "{not json", '{"no": "type"}', "", "é ü 漢字")
lines = st.lists(
    st.one_of(
        st.integers(0, 9).map(lambda n: json.dumps({"type": "x", "n": n})),
        st.sampled_from(TEXTS),
    ),
    max_size=8,
)


def fed(data: bytes, cuts: list[int]) -> tuple[list[object], str]:
    cutter, events, text = EventLines(), list[object](), ""
    pieces: list[bytes] = []
    for cut in cuts:
        pieces.append(data[:cut])
        data = data[cut:]
    for piece in (*pieces, data):
        for part in cutter.feed(piece):
            if isinstance(part, str):
                text += part
            else:
                events.append(part)
    for part in cutter.finish():
        if isinstance(part, str):
            text += part
        else:
            events.append(part)
    return events, text


@given(lines, st.lists(st.integers(0, 30), max_size=8))
def test_the_pieces_make_no_difference(said: list[str], cuts: list[int]) -> None:
    data = "\n".join(said).encode()
    events, text = fed(data, cuts)
    expected = [json.loads(line) for line in said if line.startswith('{"type"')]
    assert events == expected
    rest = [line for line in said if not line.startswith('{"type"') and line]
    assert [line for line in text.split("\n") if line] == rest


def test_a_line_without_end_costs_no_memory_and_hides_nothing_after_it() -> None:
    cutter = EventLines()
    parts = list(cutter.feed(b"{" + b"x" * 100))
    for _ in range(LINE_LIMIT // 65536 + 2):
        parts += cutter.feed(b"x" * 65536)
    assert parts == []
    assert len(cutter._rest) <= LINE_LIMIT
    assert list(cutter.feed(b"\n")) == []
    assert list(cutter.feed(b'{"type":"result"}\n')) == [{"type": "result"}]


@given(st.lists(st.integers(0, HEAD_LIMIT), max_size=5))
def test_a_transcript_keeps_both_ends(sizes: list[int]) -> None:
    transcript, whole = Transcript(), b""
    for number, size in enumerate(sizes):
        piece = bytes([97 + number]) * size
        transcript.add(piece)
        whole += piece
    text = transcript.text()
    if len(whole) <= HEAD_LIMIT + TAIL_LIMIT:
        assert text == whole.decode()
    else:
        assert text.startswith(whole[:HEAD_LIMIT].decode())
        assert text.endswith(whole[-TAIL_LIMIT:].decode())
        assert f"{len(whole) - HEAD_LIMIT - TAIL_LIMIT} bytes left out" in text


def test_an_event_of_too_many_parts_is_text() -> None:
    many = b'{"type":"x","a":[' + b"[]," * PARTS_LIMIT + b"0]}\n"
    (shown,) = list(EventLines().feed(many))
    assert isinstance(shown, str)
    assert len(shown) == SHOWN_LIMIT


def test_the_rest_of_a_line_of_text_is_no_event() -> None:
    cutter = EventLines()
    assert list(cutter.feed(b"it said: ")) == ["it said: "]
    assert list(cutter.feed(b'{"type":"result"}')) == ['{"type":"result"}']
    assert list(cutter.feed(b'\n{"type":"result"}\n')) == ["\n", {"type": "result"}]


def test_of_a_flood_only_the_end_is_shown() -> None:
    flood = b"\xff" * 10 * SHOWN_LIMIT
    assert list(EventLines().feed(flood + b"\n? Go on")) == [
        "\ufffd" * (SHOWN_LIMIT - 1) + "\n",
        "? Go on",
    ]
