"""The messages that agents exchange over the bus."""

from typing import Any, Literal

from pm_orchestrator.domain.record import Record

MessageType = Literal[
    "task_assign", "task_complete", "task_failed", "escalate", "status_request", "status_response"
]


class AgentMessage(Record, frozen=True, kw_only=True, rename={"sender": "from", "recipient": "to"}):
    """One message on the bus. `from` and `to` on the wire, as the specification names them."""

    id: str
    run_id: str
    type: MessageType
    sender: str
    recipient: str
    payload: dict[str, Any]
    timestamp: str
