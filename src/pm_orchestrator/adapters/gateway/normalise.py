"""What a run asked, without what differs from one run to the next.

Two runs of the same project ask the same questions, but under other ticket ids, at
other times, in other directories and with other tool output. The digest covers the
asking and leaves the rest out, so a recording fits the next run, and stops fitting
when a prompt, a tool or the model changes.
"""

import hashlib
import re
from collections.abc import Iterator

from pm_orchestrator.domain.company.model_conversation import ChatRequest, Message
from pm_orchestrator.domain.record import Record, to_json
from pm_orchestrator.ports.dialect import Json

DIGITS_KEPT = 16
"""64 bits per part: enough to notice a change, short enough to read."""

DATA_BLOCK = re.compile(r"^<data\b[^>\n]*>$.*?^</data>$", re.DOTALL | re.MULTILINE)

# The order matters: a ticket id begins like a long hexadecimal number, and a temporary
# path may contain any of the others.
VOLATILE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<![\w./-])(?:/private)?(?:/var)?/tmp(?:/[^\s\"'`<>()\[\]]*)?"), "{path}"),
    (
        re.compile(
            r"\b\d{4}-\d{2}-\d{2}"
            r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\w-])"
        ),
        "{time}",
    ),
    (re.compile(r"\b\d{8}-[0-9a-z]{4}(?![0-9a-z])"), "{ticket}"),
    (re.compile(r"\brun_\d{3,}\b"), "{run}"),
    (re.compile(r"\b[0-9a-fA-F]{7,}\b"), "{hex}"),
)


class RequestDigest(Record, frozen=True, kw_only=True):
    """One short SHA-256 per part of a request, so that a mismatch can say which part."""

    model: str
    tools: str
    system: str
    messages: str


PARTS = ("model", "tools", "system", "messages")


def question_digest(request: ChatRequest) -> RequestDigest:
    """Equal for requests that ask the same, in whatever dialect."""
    return RequestDigest(
        model=_sha(request.model),
        tools=_sha(sorted(tool.name for tool in request.tools)),
        system=_sha(scrub(request.system)),
        messages=_sha([_turn(message) for message in request.messages]),
    )


def question_texts(request: ChatRequest) -> dict[str, str]:
    """What each short hash of a request stands for, for people.

    Of the conversation it is what was said since the model's last answer: the rest stands with
    the answers before this one.
    """
    new: list[Message] = []
    for message in request.messages:
        new = [] if message.role == "assistant" else [*new, message]
    return {
        "model": request.model,
        "tools": "\n".join(sorted(tool.name for tool in request.tools)),
        "system": scrub(request.system),
        "messages": "\n".join(_told(said) for message in new for said in _user(message)),
    }


def differing(recorded: RequestDigest, asked: RequestDigest) -> list[str]:
    """The parts in which two requests differ."""
    return [part for part in PARTS if getattr(recorded, part) != getattr(asked, part)]


def scrub(text: str) -> str:
    """`text` with data blocks emptied and volatile parts replaced by their kind."""
    text = DATA_BLOCK.sub("{data}", text)
    for pattern, kind in VOLATILE:
        text = pattern.sub(kind, text)
    return text


def _turn(message: Message) -> Json:
    said = _assistant(message) if message.role == "assistant" else _user(message)
    return {"role": message.role, "said": list(said)}


def _assistant(message: Message) -> Iterator[Json]:
    # Not scrubbed: these words come out of the recording itself.
    if message.text:
        yield {"text": message.text}
    for call in message.tool_calls:
        yield {"tool": call.name, "input": call.arguments}
    if message.verbatim is not None:
        # What a vendor adds to the words is its own; that it is there is not.
        yield {"verbatim": message.verbatim.dialect}


def _user(message: Message) -> Iterator[Json]:
    for result in message.tool_results:
        yield {"result": "error" if result.is_error else "ok"}
    if message.text:
        yield {"text": scrub(message.text)}


def _told(said: Json) -> str:
    return said["text"] if "text" in said else f"[the tool's result: {said['result']}]"


def _sha(part: object) -> str:
    return hashlib.sha256(to_json(part)).hexdigest()[:DIGITS_KEPT]
