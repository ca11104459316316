"""One question over HTTP, asked with patience and bounds, whose failures show no key."""

import asyncio
import re
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.text import printed

if TYPE_CHECKING:
    import ssl

    import httpx2

SENDABLE_KEY = re.compile(r"[A-Za-z0-9._~+/=-]+")
"""Keys are plain tokens; anything else would be a pasting mistake, and unsafe in a header.
Checked here, because the client's own complaint about a bad header repeats it."""
MOST_BYTES = 64 * 1024**2
"""Of an answer; no vendor gives one of a tenth of this."""
CONNECT_S = 20.0
"""Until somebody is there at all."""
COMPRESSIONS = {"": None, "identity": None, "gzip": 31, "x-gzip": 31, "deflate": 47}
"""How zlib calls them. One at a time: a gigabyte that is packed twice is a kilobyte."""
PIECE = 1024**2
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


def new_client(
    url: str, timeout: float, *, trust_env: bool, ca_file: str | None = None
) -> "httpx2.AsyncClient":
    """A client for questions to `url`; `ca_file` vouches for servers besides the system's own.

    What is on this machine is asked directly, whatever proxy the environment names.

    Raises:
        PmError: E602 for a file without certificates.
    """
    # Imported here: most commands never ask a model.
    import httpx2

    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(timeout, connect=min(timeout, CONNECT_S)),
        trust_env=trust_env and not _is_here(url),
        # Loading certificates is slow and plain http has none to check.
        verify=False if url.startswith("http://") else _trusted(ca_file, trust_env=trust_env),
    )


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host == "localhost" or host == "::1" or host.startswith("127.")


def _trusted(ca_file: str | None, *, trust_env: bool) -> "ssl.SSLContext":
    import httpx2

    context = httpx2.create_ssl_context(trust_env=trust_env)
    if ca_file is not None:
        try:
            context.load_verify_locations(cafile=ca_file)
        except OSError as error:
            reason = f"{ca_file} has no certificates to go by ({error.strerror or error})"
            raise PmError("model_refused", reason=reason) from error
    return context


def _untrusted(error: BaseException) -> str | None:
    """Why a server's certificate is not believed, where that is what went wrong."""
    import ssl

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return cause.verify_message
        cause = cause.__cause__ or cause.__context__
    return None


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
        unpacked = _unpacking(self.headers.get("content-encoding", ""))
        async for packed in self._response.aiter_raw():
            for chunk in unpacked(packed):
                size += len(chunk)
                if size > MOST_BYTES:
                    reason = f"it exceeds {MOST_BYTES} bytes"
                    raise PmError("model_answer_unreadable", reason=reason)
                yield chunk


def _unpacking(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    """Unpacks the parts of a body, a piece at a time.

    Raises:
        PmError: E603 for a compression that nobody asked for.
    """
    name = encoding.strip().lower()
    if name not in COMPRESSIONS:
        reason = f"nobody asked for its compression ({printed(name)})"
        raise PmError("model_answer_unreadable", reason=reason)
    form = COMPRESSIONS[name]
    if form is None:
        return lambda packed: iter([packed])
    inflating = zlib.decompressobj(form)

    def unpacked(packed: bytes) -> Iterator[bytes]:
        try:
            while packed and not inflating.eof:
                yield inflating.decompress(packed, PIECE)
                packed = inflating.unconsumed_tail
        except zlib.error:
            reason = "its compression is broken"
            raise PmError("model_answer_unreadable", reason=reason) from None

    return unpacked


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
            client.stream(
                method, url, content=body, headers={"accept-encoding": "gzip", **headers}
            ) as response,
        ):
            yield Posted(response, limit, patience)
    except (httpx2.TimeoutException, TimeoutError):
        reason = f"no answer within {patience:g} s"
        raise RetryableError("model_unavailable", reason=reason) from None
    except (httpx2.UnsupportedProtocol, httpx2.InvalidURL):
        raise PmError("model_refused", reason="its address is no http(s) URL") from None
    except httpx2.TransportError as error:
        untrusted = _untrusted(error)
        if untrusted is not None:
            host = urlsplit(url).netloc
            raise PmError("model_untrusted", host=host, reason=untrusted) from None
        reason = f"the connection failed ({type(error).__name__})"
        raise RetryableError("model_unavailable", reason=reason) from None
