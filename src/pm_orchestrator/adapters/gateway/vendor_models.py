"""Asking a vendor which models it has: whether it answers at all, and to this key."""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from pm_orchestrator.adapters.http_post import new_client, posting, sendable
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.text import printed
from pm_orchestrator.ports.chat_model import KnownModel, ModelFactory
from pm_orchestrator.ports.dialect import UNREADABLE, Json

UNLISTED = frozenset({404, 405, 501})
"""A gateway that answers questions need not know lists."""


async def vendor_models(
    factory: ModelFactory,
    variables: Mapping[str, str],
    seconds: float,
    ca_file: str | None = None,
    also: Mapping[str, str] = MappingProxyType({}),
) -> tuple[KnownModel, ...]:
    """What the vendor lists; nothing where it answers, but keeps no list.

    Raises:
        RetryableError: E601, nobody answers in time.
        PmError: E602 for a refusal, E603 for what is no list.
    """
    upstream = factory.upstream
    key, url = upstream.key(variables), upstream.url(variables, factory.listing)
    shown = upstream.credentials(sendable(key)) if key else {}
    headers = {**factory.dialect.headers, **shown, **also}
    async with (
        new_client(url, seconds, trust_env=True, ca_file=ca_file) as client,
        posting(client, url, None, headers, seconds) as posted,
    ):
        body = await posted.body()
    if posted.status in UNLISTED:
        return ()
    if posted.status != 200:
        said = factory.dialect.read_error(body).message
        for secret in (key, *also.values()):
            said = said.replace(secret, "[MASKED]") if secret else said
        words = f": {printed(said, 200)}" if said else ""
        raise PmError("model_refused", reason=f"HTTP {posted.status}{words}")
    try:
        return factory.read_listing(msgspec.json.decode(body, type=Json))
    except UNREADABLE as error:
        raise PmError("model_answer_unreadable", reason=error) from error
