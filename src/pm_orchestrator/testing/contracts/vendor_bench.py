"""A scripted vendor of any dialect as the bench of the chat model contract."""

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.adapters.gateway.upstream import Forward
from pm_orchestrator.adapters.models.anthropic import AnthropicModels
from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.dialect import Dialect, Json
from pm_orchestrator.testing.contracts.chat_model_contract import ModelBench, Trouble
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, Received

SECRET = "sk-ant-api03-of-the-bench-0123456789"


def forward(
    base_url: str, key: str = SECRET, timeout: float = 600.0, trust_env: bool = True
) -> Forward:
    """The gateway's way out to a provider at `base_url`."""
    there = replace(AnthropicModels().upstream, base_url=base_url)
    return Forward(there, {"ANTHROPIC_API_KEY": key}, timeout, trust_env)


class VendorBench(ModelBench):
    """Give `script` to a ScriptedVendor, then set `model` and its list of `received`."""

    model: ChatModel
    received: list[Received]

    def __init__(self, dialect: Dialect, repeats: str = SECRET) -> None:
        self.secret = SECRET
        self._repeats = repeats
        self._dialect = dialect
        self._step: ChatReply | Trouble = "bad_request"

    @override
    def will(self, step: ChatReply | Trouble) -> None:
        self._step = step

    @override
    def heard(self) -> ChatRequest:
        last = self.received[-1]
        path = last.path.partition("?")[0]
        return self._dialect.read_request(to_json(last.body), path).request

    def script(self, _: Json) -> Json | Failure:
        if isinstance(self._step, ChatReply):
            return self._dialect.write_answer(self._step, "bench")
        if self._step in REFUSALS:
            status = REFUSALS[self._step]
            body = self._dialect.write_error(status, "", f"no: {self._repeats}")
            return Failure(kind="status", status=status, body=body)
        return TROUBLES[self._step]


REFUSALS: dict[Trouble, int] = {
    "rate_limited": 429,
    "overloaded": 529,
    "bad_key": 401,
    "unknown_model": 404,
    "bad_request": 400,
}
TROUBLES: dict[Trouble, Failure] = {
    "broken": Failure(kind="status", status=502, body=b"<html>bad gateway</html>"),
    "reset": Failure(kind="reset"),
    "cut": Failure(kind="cut"),
    "silent": Failure(kind="hang"),
    "garbage": Failure(kind="garbage"),
    "bad_compression": Failure(kind="garbage", body=b"{}", encoding="gzip"),
    "empty_object": Failure(kind="garbage", body=b"{}"),
}
