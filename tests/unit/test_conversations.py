"""Conversations with models that outlive their task: masked, bounded, and gone on with."""

from pathlib import Path

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.agents.model_window import WindowedTalk
from pm_orchestrator.agents.prompts.turns import beginning
from pm_orchestrator.agents.solo import conversations
from pm_orchestrator.agents.solo.conversations import Conversations
from pm_orchestrator.domain.company.model_conversation import (
    ConversationHistory,
    Message,
    ToolCall,
    ToolResult,
    Verbatim,
)
from pm_orchestrator.domain.setup.model_list import TokenRoom
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.testing.memory.fake_clock import FakeClock

SECRET = "s" + "k-proj-Zq81mXw02LkPr64TnVb95YcDs37Hg"


def history(*messages: Message) -> ConversationHistory:
    return ConversationHistory(
        run_id="t", agent_id="a", messages=messages, tool_calls=(), total_tokens=0
    )


def files_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def store(folder: Path) -> tuple[Conversations, FakeClock]:
    clock = FakeClock()
    return Conversations(LocalFiles(clock), folder, Masker(), clock), clock


async def test_what_was_said_is_gone_on_with_and_no_secret_of_it(tmp_path: Path) -> None:
    kept, _ = store(tmp_path)
    assert kept.read("one") is None
    signed = Verbatim(dialect="anthropic", parts=({"type": "thinking", "signature": "x"},))
    said = Message(role="assistant", text=f"It is {SECRET}", verbatim=signed)
    plain = Message(role="assistant", text="It is done", verbatim=signed)
    await kept.keep("one", history(Message(role="user", text="Which?"), said))
    found = kept.read("one")
    assert found is not None
    assert SECRET not in found[1].text
    # Signed by the vendor, who would refuse it with a word changed.
    assert found[1].verbatim is None
    await kept.keep("one", history(Message(role="user", text="Which?"), plain))
    found = kept.read("one")
    assert found is not None
    assert found[1] == plain
    assert len(files_in(tmp_path)) == 1


async def test_a_damaged_one_is_not_known_and_old_ones_go(tmp_path: Path) -> None:
    kept, clock = store(tmp_path)
    for number in range(conversations.MOST_KEPT + 3):
        await kept.keep(f"c{number}", history())
        await clock.sleep(1)
    assert len(files_in(tmp_path)) == conversations.MOST_KEPT
    assert kept.read("c2") is None
    assert kept.read("c3") == ()
    for file in files_in(tmp_path):
        file.write_text("{", "utf-8")
    assert kept.read("c3") is None


def test_a_conversation_goes_on_with_an_answer_to_every_call() -> None:
    calls = (
        ToolCall(id="1", name="run_command", arguments={}),
        ToolCall(id="2", name="task_complete", arguments={}),
    )
    earlier = (Message(role="user", text="A"), Message(role="assistant", tool_calls=calls))
    message = beginning("B", earlier)
    assert message.text == "B"
    assert [result.call_id for result in message.tool_results] == ["1", "2"]
    assert beginning("B") == Message(role="user", text="B")


def test_the_instruction_of_now_outlives_all_that_was_said_before() -> None:
    call = ToolCall(id="1", name="read_file", arguments={"path": "x" * 400})
    result = ToolResult(call_id="1", content="y" * 400)
    earlier = (
        Message(role="user", text="Do this first"),
        Message(role="assistant", text="z" * 400, tool_calls=(call,)),
    )
    talk = WindowedTalk(TokenRoom(window=1_100, answer=100), earlier=earlier)
    talk.add(Message(role="user", text="And now this", tool_results=(result,)))
    for number in range(20):
        again = ToolCall(id=f"{number + 2}", name="read_file", arguments={"path": "x" * 200})
        talk.add(Message(role="assistant", text="z" * 200, tool_calls=(again,)))
        answer = ToolResult(call_id=again.id, content="y" * 200)
        talk.add(Message(role="user", tool_results=(answer,)))
        sent = talk.sent()
        assert any("And now this" in message.text for message in sent)
        made = {made.id for message in sent for made in message.tool_calls}
        assert {r.call_id for message in sent for r in message.tool_results} == made
        assert [message.role for message in sent] == ["user", "assistant"] * (len(sent) // 2) + [
            "user"
        ] * (len(sent) % 2)
    assert "before that you were asked: Do this first" in talk.sent()[0].text
