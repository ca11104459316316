"""One question over HTTP, asked with patience and bounds, whose failures show no key."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pm_orchestrator.domain.errors import PmError, RetryableError

if TYPE_CHECKING:
    import httpx2

SENDABLE_KEY = re.compile(r"[A-Za-z0-9._~+/=-]+")
"""Keys are plain tokens; anything else would be a pasting mistake, and unsafe in a header.
Checked here, because the client's own complaint about a bad header repeats it."""
MOST_BYTES = 64 * 1024**2
"""Of an answer; no vendor gives one of a tenth of this."""
LONGEST_S = 3600.0
"""For an answer that keeps coming."""


def sendable(key: str) -> str:
    """The key itself.

    Raises:
        PmError: E602 where it cannot be one.
    """
    if SENDABLE_KEY.fullmatch(key) is None:
        raise PmError("model_refused", reason="the key has characters that no key has")
    return key


def new_client(url: str, timeout: float, *, trust_env: bool) -> "httpx2.AsyncClient":
    """A client for questions to `url`."""
    # Imported here: most commands never ask a model.
    import httpx2

    return httpx2.AsyncClient(
        timeout=timeout,
        trust_env=trust_env,
        # Loading certificates is slow and plain http has none to check.
        verify=not url.startswith("http://"),
    )


class Posted:
    """What came back."""

    def __init__(self, response: "httpx2.Response", limit: asyncio.Timeout, each: float) -> None:
        self._response = response
        self._limit = limit
        self._each = each

    @property
    def status(self) -> int:
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """Their names in any case."""
        return self._response.headers

    async def body(self) -> bytes:
        return b"".join([chunk async for chunk in self._bounded()])

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes; whoever says something is waited for again."""
        loop = asyncio.get_running_loop()
        last = loop.time() + LONGEST_S
        async for chunk in self._bounded():
            self._limit.reschedule(min(loop.time() + self._each, last))
            yield chunk

    async def _bounded(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._response.aiter_bytes():
            size += len(chunk)
            if size > MOST_BYTES:
                raise PmError("model_answer_unreadable", reason=f"it exceeds {MOST_BYTES} bytes")
            yield chunk


@asynccontextmanager
async def posting(
    client: "httpx2.AsyncClient",
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    patience: float,
    method: str = "POST",
) -> AsyncGenerator[Posted]:
    """Ask, and read what comes back inside.

    Raises:
        RetryableError: E601, nobody answers, or not to the end.
        PmError: E602 for an address that is none, E603 for an answer beyond reading.
    """
    import httpx2

    # The errors below are raised `from None`: theirs carry the request, and so the key.
    try:
        async with (
            asyncio.timeout(patience) as limit,
            client.stream(method, url, content=body, headers=dict(headers)) as response,
        ):
            yield Posted(response, limit, patience)
    except (httpx2.TimeoutException, TimeoutError):
        reason = f"no answer within {patience:g} s"
        raise RetryableError("model_unavailable", reason=reason) from None
    except (httpx2.UnsupportedProtocol, httpx2.InvalidURL):
        raise PmError("model_refused", reason="its address is no http(s) URL") from None
    except httpx2.TransportError as error:
        reason = f"the connection failed ({type(error).__name__})"
        raise RetryableError("model_unavailable", reason=reason) from None
    except httpx2.DecodingError:
        reason = "its compression is broken"
        raise PmError("model_answer_unreadable", reason=reason) from None
