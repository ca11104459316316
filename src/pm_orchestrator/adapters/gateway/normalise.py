"""What a run asked, without what differs from one run to the next.

Two runs of the same project ask the same questions, but under other ticket ids, at
other times, in other directories and with other tool output. The digest covers the
asking and leaves the rest out, so a recording fits the next run, and stops fitting
when a prompt, a tool or the model changes.
"""

import hashlib
import re
from collections.abc import Iterator

from pm_orchestrator.adapters.gateway.wire import Block, Json, MessagesRequest, Turn, blocks
from pm_orchestrator.domain.record import Record, to_json

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


def question_digest(request: MessagesRequest) -> RequestDigest:
    """Equal for requests that ask the same."""
    return RequestDigest(
        model=_sha(request.model),
        tools=_sha(sorted(tool.name for tool in request.tools)),
        system=_sha([scrub(block.text) for block in blocks(request.system)]),
        messages=_sha([_turn(turn) for turn in request.messages]),
    )


def differing(recorded: RequestDigest, asked: RequestDigest) -> list[str]:
    """The parts in which two requests differ."""
    return [part for part in PARTS if getattr(recorded, part) != getattr(asked, part)]


def scrub(text: str) -> str:
    """`text` with data blocks emptied and volatile parts replaced by their kind."""
    text = DATA_BLOCK.sub("{data}", text)
    for pattern, kind in VOLATILE:
        text = pattern.sub(kind, text)
    return text


def _turn(turn: Turn) -> Json:
    said = _assistant(turn.blocks()) if turn.role == "assistant" else _user(turn.blocks())
    return {"role": turn.role, "said": list(said)}


def _assistant(content: list[Block]) -> Iterator[Json]:
    # Not scrubbed: these words come out of the recording itself.
    for block in content:
        match block.type:
            case "text":
                yield {"text": block.text}
            case "tool_use":
                yield {"tool": block.name, "input": block.input}
            case _:
                yield {"type": block.type}


def _user(content: list[Block]) -> Iterator[Json]:
    for block in content:
        match block.type:
            case "text":
                yield {"text": scrub(block.text)}
            case "tool_result":
                yield {"result": "error" if block.is_error else "ok"}
            case _:
                yield {"type": block.type}


def _sha(part: object) -> str:
    return hashlib.sha256(to_json(part)).hexdigest()[:DIGITS_KEPT]
