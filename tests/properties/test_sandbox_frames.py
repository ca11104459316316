"""The frame protocol against itself and against garbage."""

import asyncio
import json

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.adapters.sandboxes.channel import Multiplexer, read_frame
from pm_orchestrator.adapters.sandboxes.frames import (
    CREDIT,
    HEADER,
    MAX_DATA,
    RAW,
    VERSION,
    FrameKind,
    ProtocolError,
    ReceiveWindow,
    pack,
    pack_json,
    parse_credit,
    parse_header,
    parse_json,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.testing.scripted.scripted_channel import ScriptedChannel

streams = st.integers(0, 2**32 - 1)
json_kinds = st.sampled_from([kind for kind in FrameKind if kind not in RAW])
texts = st.text(st.characters(codec=None))
objects = st.dictionaries(texts, st.none() | st.integers() | texts | st.lists(texts, max_size=3))


HELLO = pack_json(FrameKind.HELLO, 0, {"version": VERSION})


@given(kind=st.sampled_from(sorted(RAW)), stream=streams, payload=st.binary(max_size=200))
async def test_raw_frames_survive(kind: FrameKind, stream: int, payload: bytes) -> None:
    frame = await read_frame(ScriptedChannel.recording(pack(kind, stream, payload)))
    assert frame == (kind, stream, payload)


@given(kind=json_kinds, stream=streams, fields=objects)
async def test_objects_survive_with_any_text(
    kind: FrameKind, stream: int, fields: dict[str, object]
) -> None:
    frame = await read_frame(ScriptedChannel.recording(pack_json(kind, stream, fields)))
    assert frame[:2] == (kind, stream)
    assert parse_json(frame.payload) == fields


@given(raw=st.binary(min_size=HEADER.size, max_size=HEADER.size))
def test_a_header_is_understood_within_its_limits_or_refused(raw: bytes) -> None:
    length, number, _ = HEADER.unpack(raw)
    try:
        parsed = parse_header(raw)
    except ProtocolError:
        assert number not in set(FrameKind) or length > MAX_DATA
    else:
        assert HEADER.pack(*parsed) == raw


@given(
    payload=st.binary(max_size=60)
    | st.text().map(str.encode)
    | objects.map(json.dumps).map(str.encode)
)
def test_a_payload_is_an_object_or_refused(payload: bytes) -> None:
    try:
        fields = parse_json(payload)
    except ProtocolError:
        return
    assert json.loads(payload) == fields


@given(credit=st.none() | st.booleans() | st.integers() | st.floats() | st.text())
def test_only_a_sensible_credit_is_taken(credit: object) -> None:
    payload = json.dumps({"credit": credit}).encode()
    if type(credit) is int and 0 < credit <= CREDIT:
        assert parse_credit(payload) == credit
    else:
        with pytest.raises(ProtocolError):
            parse_credit(payload)


@given(pieces=st.lists(st.integers(0, MAX_DATA), max_size=60))
def test_the_window_never_lets_more_through_than_was_granted(pieces: list[int]) -> None:
    window, granted, arrived = ReceiveWindow(), CREDIT, 0
    for size in pieces:
        if size > granted - arrived:
            with pytest.raises(ProtocolError):
                window.arrived(size)
            return
        window.arrived(size)
        arrived += size
        granted += window.consumed(size)
        # A reader that keeps up never stalls its sender.
        assert granted - arrived > CREDIT // 2 - MAX_DATA


@given(
    garbage=st.binary(max_size=400)
    | st.lists(
        st.builds(
            pack,
            st.sampled_from(FrameKind),
            st.sampled_from([0, 1, 2, 3, 5]),
            st.binary(max_size=30),
        ),
        max_size=12,
    ).map(b"".join)
    | st.lists(st.builds(pack_json, json_kinds, st.sampled_from([1, 3]), objects), max_size=6).map(
        b"".join
    )
)
async def test_no_answer_of_the_sandbox_hangs_the_host(garbage: bytes) -> None:
    multiplexer = Multiplexer(ScriptedChannel.recording(HELLO + garbage))

    async def ask() -> str:
        try:
            stream = await multiplexer.open({"op": "read"})
            while (await stream.receive()).kind is not FrameKind.RES:
                pass
        except PmError as error:
            return error.code
        return "answered"

    async with asyncio.timeout(5):
        await multiplexer.start(b"program", {})
        assert await ask() in {"answered", "E702"}
        await multiplexer.close()


@given(garbage=st.binary(max_size=100))
async def test_a_wrong_hello_is_refused(garbage: bytes) -> None:
    multiplexer = Multiplexer(ScriptedChannel.recording(garbage))
    with pytest.raises((ProtocolError, asyncio.IncompleteReadError)):
        async with asyncio.timeout(5):
            await multiplexer.start(b"program", {})
