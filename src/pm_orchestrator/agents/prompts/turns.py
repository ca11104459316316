"""What is said to an agent's model between its turns, and when a conversation goes on."""

from collections.abc import Sequence
from typing import Literal

from pm_orchestrator.domain.company.model_conversation import Message, ToolResult

LastStep = Literal["commit", "leave", "answer"]
"""How work is brought to its end: committed, left as it lies, or answered."""
NUDGES: dict[LastStep, str] = {
    "commit": "call task_complete when the work is committed",
    "leave": "call task_complete when the work is done",
    "answer": "call task_complete with your answer",
}
LAST_WORDS: dict[LastStep, str] = {
    "commit": "commit what is done, then call task_complete",
    "leave": "finish what is begun, then call task_complete",
    "answer": "call task_complete with what you know",
}
CUT = (
    "Your answer was cut at its length limit. Go on in smaller pieces: write a long file with "
    "write_file first and then with append."
)
CUT_CALL = "not done: your answer was cut before this call was complete. Make it again, in pieces."
GONE = (
    "the sandbox ended while this was done; you are in a new one, with your files and commits as "
    "they were before. Do it in another way."
)
REPEATED = (
    "You have made the same call several times and got the same error. It will not change by "
    "itself: look for the reason, or do it in another way."
)


ENDED = "the work ended here; look again at what came of it"
CHECKED = "noted; the Runner has checked"


def beginning(instruction: str, earlier: Sequence[Message] = ()) -> Message:
    """What a conversation begins with, or goes on with after what was said last.

    A vendor wants an answer to every call, and those that ended the work had none yet.
    """
    calls = earlier[-1].tool_calls if earlier else ()
    answers = tuple(
        ToolResult(call_id=call.id, content=CHECKED if call.name == "task_complete" else ENDED)
        for call in calls
    )
    return Message(role="user", text=instruction, tool_results=answers)


def nudge(last_step: LastStep) -> str:
    """Said where a model only talks."""
    return f"Go on with a tool call, or {NUDGES[last_step]}."


def turns_left(turns: int, last_step: LastStep) -> str:
    """Said near the end."""
    only = "This is your last turn" if turns == 1 else f"You have {turns} turns left"
    return f"{only}: {LAST_WORDS[last_step]}."


def tokens_left(tokens: int, last_step: LastStep) -> str:
    """Said when most of them are used."""
    return f"You have about {tokens} tokens left: {LAST_WORDS[last_step]}."
