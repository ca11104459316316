"""The way out to the provider: the only code that holds the real key.

What agents send as credentials never gets here, and what the provider answers is
searched for the key before it goes back: some error messages repeat it. Where that is,
and how a request shows the key, the model's adapter says.
"""

from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec
from typing_extensions import override

from pm_orchestrator.adapters.gateway.answers import (
    JSON_TYPE,
    AnswerSource,
    ModelAnswer,
    ModelQuestion,
    answer_in_form,
)
from pm_orchestrator.adapters.gateway.refusals import vendor_error
from pm_orchestrator.adapters.http_post import Posted, new_client, posting, sendable
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.ports.chat_model import Upstream
from pm_orchestrator.ports.dialect import UNREADABLE, BrokenStreamError, Dialect, Json

if TYPE_CHECKING:
    import httpx2

PASSED_BACK = ("retry-after", "request-id", "x-request-id", "x-should-retry")
SHORTEST_SECRET = 8
"""A header's value that is shorter is no secret; to mask `1` would spoil every answer."""
BAD_GATEWAY = 502
ERRORS = range(400, 600)
LONGEST_FRAME = 32 * 1024**2


class Forward(AnswerSource):
    """Sends questions `upstream` with the real key in place of the agent's token.

    A stream is passed on as it comes, up to the first tool call or the last frame: the
    exchange has to be on record before the agent can act on any part of it.
    """

    def __init__(
        self,
        upstream: Upstream,
        variables: Mapping[str, str],
        timeout: float = 600.0,
        trust_env: bool = True,
        ca_file: str | None = None,
        also: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`also` are headers that the way to the vendor asks for; they may be secrets too."""
        self._upstream = upstream
        self._variables = variables
        self._timeout = timeout
        self._trust_env = trust_env
        self._ca_file = ca_file
        self._also = also
        if upstream.key_variable is not None:
            sendable(self._key)
        self._client: httpx2.AsyncClient | None = None

    @override
    async def answer(self, question: ModelQuestion) -> ModelAnswer:
        dialect, url = question.dialect, self._upstream.url(self._variables, question.path)
        headers = {
            **dialect.headers,
            **question.headers,
            "content-type": JSON_TYPE,
            **self._upstream.credentials(self._key),
            **self._also,
        }
        where = f"{url}?{question.query}" if question.query else url
        client = self._open(url)
        async with posting(client, where, question.body, headers, self._timeout) as posted:
            back = {
                name: self._masked(posted.headers[name].encode()).decode()
                for name in PASSED_BACK
                if name in posted.headers
            }
            kind = posted.headers.get("content-type", JSON_TYPE).partition(";")[0].strip()
            if posted.status == 200 and kind == dialect.stream_type:
                return await self._streamed(question, posted, back)
            body = self._masked(await posted.body())
        if posted.status != 200:
            return ModelAnswer(status=posted.status, body=body, content_type=kind, headers=back)
        return msgspec.structs.replace(_understood(question, body), headers=back)

    @override
    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _streamed(
        self, question: ModelQuestion, posted: Posted, headers: dict[str, str]
    ) -> ModelAnswer:
        """A stream whose beginning the agent hears; its end is what this returns.

        A stream that breaks off before the agent heard any of it becomes the plain error
        that it stands for.
        """
        dialect = question.dialect
        reader, whole, heard = dialect.stream_reader(), bytearray(), 0
        try:
            async for frame in _frames(dialect, posted):
                masked = self._masked(frame)
                reader.read(masked)
                whole += masked
                held = reader.acts or reader.ended or not dialect.frame_end.search(masked)
                if question.pass_on is not None and not held:
                    await question.pass_on(masked)
                    heard = len(whole)
            reply = dialect.read_answer(reader.answer())
            if not question.asked.stream:
                # Some stream whatever they are asked for.
                return msgspec.structs.replace(answer_in_form(reply, question), headers=headers)
        except BrokenStreamError as broken:
            if broken.status is None:
                raise RetryableError("model_unavailable", reason=broken) from broken
            error = vendor_error(dialect, broken.status, str(broken))
            return msgspec.structs.replace(error, headers=headers, passed_on=heard)
        except msgspec.ValidationError as error:
            raise PmError("model_answer_unreadable", reason=error) from error
        return ModelAnswer(
            status=200,
            body=bytes(whole),
            content_type=dialect.stream_type,
            headers=headers,
            reply=reply,
            passed_on=heard,
        )

    @property
    def _key(self) -> str:
        """Read whenever it is shown: nobody else keeps it."""
        return self._upstream.key(self._variables)

    def _masked(self, body: bytes) -> bytes:
        name = (self._upstream.key_variable or "").replace("_API_KEY", "_KEY")
        secrets = {self._key: name, **dict.fromkeys(self._also.values(), "HEADER")}
        for secret, kind in secrets.items():
            if len(secret) >= SHORTEST_SECRET or secret == self._key != "":
                body = body.replace(secret.encode(), f"[MASKED:{kind}]".encode())
        return body

    def _open(self, url: str) -> "httpx2.AsyncClient":
        if self._client is None:
            self._client = new_client(
                url, self._timeout, trust_env=self._trust_env, ca_file=self._ca_file
            )
        return self._client


async def _frames(dialect: Dialect, posted: Posted) -> AsyncIterator[bytes]:
    """The body cut where frames end, each with its end."""
    waiting = bytearray()
    async for chunk in posted.chunks():
        # The end may begin in what came before.
        begin, searched = 0, max(len(waiting) - 3, 0)
        waiting += chunk
        while (end := dialect.frame_end.search(waiting, searched)) is not None:
            yield bytes(waiting[begin : end.end()])
            begin = searched = end.end()
        del waiting[:begin]
        if len(waiting) > LONGEST_FRAME:
            raise BrokenStreamError("the event stream has no end of frames")
    if waiting:
        yield bytes(waiting)


def _understood(question: ModelQuestion, body: bytes) -> ModelAnswer:
    """What the vendor calls a success.

    Raises:
        PmError: E603 for what is no JSON.
    """
    dialect = question.dialect
    try:
        answer = msgspec.json.decode(body, type=Json)
    except UNREADABLE as error:
        raise PmError("model_answer_unreadable", reason=error) from error
    try:
        reply = dialect.read_answer(answer)
    except UNREADABLE:
        failed = dialect.read_error(body)
        # An error is one in whatever it is wrapped; of anything else that is no answer to us
        # the agent's own client says best what it cannot read.
        status = 200
        if failed.message:
            said = failed.status or BAD_GATEWAY
            status = said if said in ERRORS else BAD_GATEWAY
        return ModelAnswer(status=status, body=body)
    if question.asked.stream:
        return answer_in_form(reply, question)
    return ModelAnswer(status=200, body=body, reply=reply)
