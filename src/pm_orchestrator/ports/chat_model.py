"""One model API, and where its vendor is found."""

from collections.abc import Mapping
from typing import Protocol

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest
from pm_orchestrator.domain.setup.providers import VENDOR_KEYS
from pm_orchestrator.ports.adapter import AdapterFactory, Needs
from pm_orchestrator.ports.gateway import Access


class ChatModel(Protocol):
    """Answers one request.

    Raises:
        RetryableError: E601 for a busy, lost or slow provider.
        PmError: E602 when the provider refuses the request (key, model, schema),
            E603 when its answer cannot be understood.
    """

    async def chat(self, request: ChatRequest) -> ChatReply: ...


class Upstream(msgspec.Struct, frozen=True, kw_only=True):
    """Where a vendor is asked and how a request shows its key; the gateway goes by it."""

    base_url: str
    url_variable: str | None = None
    """The variable with another address, where a user has one."""
    key_variable: str | None = None
    """The variable with the key; None where the vendor wants none."""
    key_header: str = "authorization"
    key_form: str = "Bearer {key}"

    def __post_init__(self) -> None:
        if self.key_variable is not None and self.key_variable not in VENDOR_KEYS:
            # Masking and the environments of programs go by that list.
            raise ValueError(f"{self.key_variable} is not among domain.providers.VENDOR_KEYS")

    def address(self, variables: Mapping[str, str]) -> str:
        """The vendor's, or the one that the user has put in its place."""
        return variables.get(self.url_variable or "") or self.base_url

    def key(self, variables: Mapping[str, str]) -> str:
        """The real key; empty where there is none."""
        return variables.get(self.key_variable or "") or ""

    def is_ready(self, variables: Mapping[str, str]) -> bool:
        """Whether the key is there, where one is wanted."""
        return self.key_variable is None or bool(self.key(variables))

    def credentials(self, key: str) -> dict[str, str]:
        """The header that a request shows the key with."""
        return {self.key_header: self.key_form.format(key=key)} if key else {}


class ModelFactory(AdapterFactory, Protocol):
    """Makes models that ask through the gateway; they never see the key."""

    @property
    def upstream(self) -> Upstream:
        """Where the gateway takes what these models ask."""
        ...

    def create(self, access: Access, timeout_s: float = 600.0) -> ChatModel:
        """A model for one agent; no answer within `timeout_s` is E601."""
        ...

    @property
    @override
    def needs(self) -> Needs:
        variable = self.upstream.key_variable
        return Needs(variables=() if variable is None else (variable,))
