"""Errors as agents meet them: in the vendor's form, with our own code inside.

Vendor clients show `error.message`. Our own model adapter also reads the slug and
its parameters, marked by a header that no upstream can set, and raises the same
error on the agent's side of the wire.
"""

import msgspec

from pm_orchestrator.adapters.gateway.answers import ModelAnswer
from pm_orchestrator.domain.errors import PmError, RetryableError

OURS = "x-pm-error"


def vendor_error(status: int, kind: str, message: str) -> ModelAnswer:
    """An error a vendor's client understands."""
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return ModelAnswer(status=status, body=msgspec.json.encode(body))


def coded_error(error: PmError) -> ModelAnswer:
    """503 where trying again may help, else 409 and the hint to clients not to retry."""
    retryable = isinstance(error, RetryableError)
    params = {name: str(value) for name, value in error.params.items()}
    detail = {"type": error.slug, "message": str(error), "params": params}
    return ModelAnswer(
        status=503 if retryable else 409,
        body=msgspec.json.encode({"type": "error", "error": detail}),
        headers={OURS: error.code, "x-should-retry": "true" if retryable else "false"},
    )
