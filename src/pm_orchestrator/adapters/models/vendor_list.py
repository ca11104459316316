"""Which models a vendor says it has. That is no question to a model, and costs nothing."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from pm_orchestrator.adapters.http_post import new_client, posting, sendable
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.chat_model import ModelFactory

LISTS, NAMES = ("data", "models"), ("id", "name")
"""What vendors call the list, and the name of a model in it."""
LONGEST_NAME = 200
MOST_NAMES = 1_000


class ListAsked(msgspec.Struct, frozen=True, kw_only=True):
    """How a vendor is asked for its list."""

    variables: Mapping[str, str]
    patience_s: float
    ca_file: str | None = None
    also: Mapping[str, str] = {}
    """Headers besides the key."""


async def vendor_list(vendor: ModelFactory, asked: ListAsked) -> tuple[str, ...]:
    """The names, as the vendor orders them.

    Raises:
        RetryableError: E601, it does not answer.
        PmError: E602, it refuses; E603, its answer holds no list.
    """
    upstream, variables, patience_s = vendor.upstream, asked.variables, asked.patience_s
    key = upstream.key(variables)
    if upstream.key_variable is not None:
        sendable(key)
    url = upstream.url(variables, upstream.models_path)
    headers = {**vendor.dialect.headers, **asked.also, **upstream.credentials(key)}
    async with (
        new_client(url, patience_s, trust_env=True, ca_file=asked.ca_file) as client,
        posting(client, url, b"", headers, patience_s, "GET") as answer,
    ):
        body = await answer.body()
    if answer.status != 200:
        raise PmError("model_refused", reason=f"HTTP {answer.status}")
    try:
        found = msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise PmError("model_answer_unreadable", reason=error) from error
    names = dict.fromkeys(_names(found))
    if not names:
        raise PmError("model_answer_unreadable", reason="it lists no models")
    return tuple(names)[:MOST_NAMES]


def _names(answer: dict[str, Any]) -> Iterator[str]:
    listed = next((answer[key] for key in LISTS if isinstance(answer.get(key), list)), ())
    for entry in cast("list[Any]", listed):
        if isinstance(entry, dict):
            model = cast("dict[str, Any]", entry)
            name = next((model[key] for key in NAMES if isinstance(model.get(key), str)), "")
            name = name.removeprefix("models/")
            if name and name.isprintable() and len(name) <= LONGEST_NAME:
                yield name
