"""Errors as agents meet them: in the form of their dialect, with our own code in a header.

Vendor clients show the message. Our own chat model reads the header, which no upstream
can set, and raises the same error on the agent's side of the wire.
"""

from typing import Any
from urllib.parse import quote, unquote

import msgspec

from pm_orchestrator.adapters.gateway.answers import ModelAnswer
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.dialect import Dialect
from pm_orchestrator.ports.gateway import OURS

OK, UNAVAILABLE, SERVERS_OWN = 200, 503, 500
LATER = frozenset({408, 409, 429})
LONGEST_PARAMETER = 1000
"""Headers have a limit, and errors are read by people."""


def why_unanswered(dialect: Dialect, answer: ModelAnswer) -> PmError | None:
    """Why an answer is none, for whoever hears it from us and not from the agent."""
    if answer.status == OK:
        return None
    header = answer.headers.get(OURS)
    if header is not None:
        ours = msgspec.json.decode(unquote(header), type=dict[str, Any])
        kind = RetryableError if answer.status == UNAVAILABLE else PmError
        return kind(ours["slug"], **ours["params"])
    said = dialect.read_error(answer.body)
    reason = f"HTTP {answer.status}: {said.message[:LONGEST_PARAMETER]}"
    later = said.busy or answer.status in LATER or answer.status >= SERVERS_OWN
    if said.final or not later:
        return PmError("model_refused", reason=reason)
    return RetryableError("model_unavailable", reason=reason)


def vendor_error(dialect: Dialect, status: int, message: str, kind: str = "") -> ModelAnswer:
    """An error a vendor's client understands."""
    return ModelAnswer(status=status, body=to_json(dialect.write_error(status, kind, message)))


def coded_error(dialect: Dialect, error: PmError) -> ModelAnswer:
    """503 where trying again may help, else 409 and the hint to clients not to retry."""
    retryable = isinstance(error, RetryableError)
    params = {name: str(value)[:LONGEST_PARAMETER] for name, value in error.params.items()}
    told = {"slug": error.slug, "params": params, "next_step": error.next_step}
    ours = to_json(told).decode()
    status = 503 if retryable else 409
    return ModelAnswer(
        status=status,
        body=to_json(dialect.write_error(status, error.slug, str(error))),
        headers={OURS: quote(ours), "x-should-retry": "true" if retryable else "false"},
    )
