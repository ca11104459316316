"""What is kept of an attempt turn by turn, and where it goes on."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pm_orchestrator.agents.attempt_book import AttemptBook
from pm_orchestrator.domain.company.kept_turns import KeptTurn
from pm_orchestrator.domain.company.model_conversation import (
    ChatReply,
    Message,
    TokenUsage,
    ToolCallRecord,
    Verbatim,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.turn_journal import TurnJournal
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles

PLACE = Path("/run/turns.jsonl")
SECRET = "hunter2hunter2"
SAID = ChatReply(
    message=Message(
        role="assistant",
        text="I look.",
        verbatim=Verbatim(dialect="anthropic", parts=({"type": "thinking"},)),
    ),
    usage=TokenUsage(input_tokens=3),
)
CALL = ToolCallRecord(
    id="c1",
    name="read_file",
    arguments={},
    result="x",
    is_error=False,
    timestamp="t",
    duration_ms=1,
)


def journal(files: MemoryFiles) -> TurnJournal:
    return TurnJournal(files, PLACE, Masker((SECRET,)))


def opened(files: MemoryFiles, clock: FakeClock | None = None) -> AttemptBook:
    return AttemptBook(journal(files), clock or FakeClock())


async def test_it_goes_on_where_it_stopped() -> None:
    files, clock = MemoryFiles(), FakeClock()
    book = opened(files, clock)
    assert (book.first, book.earlier()) == (None, None)
    await book.begin("Do it", "abc")
    await book.said(SAID)
    clock.advance(60)
    await book.done((CALL,), changing=False)
    await book.said(SAID)
    again = opened(files)
    assert (again.first, again.laid_out, again.state) == ("Do it", "abc", None)
    assert again.seconds == 60
    whole, cut_off = again.earlier(), again.earlier()
    assert whole is not None
    assert (whole.reply, whole.calls) == (SAID, (CALL,))
    assert cut_off is not None
    assert (cut_off.reply, cut_off.calls) == (SAID, None)
    assert again.earlier() is None


async def test_the_workspace_is_saved_where_it_may_have_changed() -> None:
    files, states = MemoryFiles(), iter(("one", None))

    async def save() -> str | None:
        return next(states)

    book = opened(files).saves_by(save)
    for changing in (False, True, True):
        await book.said(SAID)
        await book.done((), changing=changing)
    assert [line.state for line in journal(files).read() if line.calls is not None] == [
        None,
        "one",
        "one",
    ]
    assert opened(files).state == "one"


async def test_what_cannot_be_kept_ends_the_keeping_and_not_the_attempt() -> None:
    files = MemoryFiles()
    errors = [PmError("git_failed", operation="x", reason="broken")]

    async def save() -> str | None:
        raise errors.pop()

    book = opened(files).saves_by(save)
    for _ in range(2):
        await book.said(SAID)
        await book.done((CALL,), changing=True)
    assert book.problem is not None
    assert [line.calls for line in journal(files).read()] == [None]
    errors.append(PmError("sandbox_gone", reason="killed"))
    with pytest.raises(PmError, match="E702"):
        await opened(files).saves_by(save).done((), changing=True)


async def test_an_answer_with_a_secret_is_kept_without_it_and_not_acted_on() -> None:
    files = MemoryFiles()
    book = opened(files)
    telling = replace(SAID, message=replace(SAID.message, text=f"the word is {SECRET}"))
    await book.said(telling)
    assert SECRET.encode() not in files.disk[PLACE]
    # Its calls might hold it: it is asked again.
    assert opened(files).earlier() is None
    await book.said(SAID)
    assert opened(files).earlier() == KeptTurn(reply=SAID)
    await book.done((), changing=False)
    await book.said(telling)
    await book.done((), changing=False)
    again = opened(files)
    kept = (again.earlier(), again.earlier())
    assert kept[1] is not None
    assert kept[1].reply is not None
    # Its vendor would not know its own words any more.
    assert kept[1].reply.message.verbatim is None


async def test_a_torn_line_was_never_written() -> None:
    files = MemoryFiles()
    await opened(files).said(SAID)
    files.disk[PLACE] += b'{"reply":'
    assert opened(files).earlier() is not None
    await opened(files).done((CALL,), changing=False)
    assert [line.calls for line in journal(files).read()] == [None, (CALL,)]
