"""One model API, how it is spoken to, and where its vendor is found."""

from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlsplit

import msgspec
from typing_extensions import override

from pm_orchestrator.domain.company.model_conversation import ChatReply, ChatRequest
from pm_orchestrator.domain.setup.providers import VENDOR_KEYS
from pm_orchestrator.ports.adapter import AdapterFactory, Needs
from pm_orchestrator.ports.dialect import Dialect


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
    models_path: str = "/v1/models"
    """Where it lists its models."""

    def __post_init__(self) -> None:
        if self.key_variable is not None and self.key_variable not in VENDOR_KEYS:
            # Masking and the environments of programs go by that list.
            raise ValueError(f"{self.key_variable} is not among domain.providers.VENDOR_KEYS")

    def address(self, variables: Mapping[str, str]) -> str:
        """The vendor's, or the one that the user has put in its place."""
        return variables.get(self.url_variable or "") or self.base_url

    def url(self, variables: Mapping[str, str], path: str) -> str:
        """Where `path` of a dialect is asked.

        Where the vendor's own address says the version, so does one that a user puts in its
        place, unless it is nothing but a host.
        """
        given, version = self.address(variables).rstrip("/"), urlsplit(self.base_url).path
        if version and urlsplit(given).path:
            path = path.removeprefix(version)
        return given + path

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
    """A vendor of models: where it is, and what it speaks.

    Models ask through the gateway and never see the key.
    """

    @property
    def upstream(self) -> Upstream:
        """Where the gateway takes what these models ask."""
        ...

    @property
    def dialect(self) -> Dialect:
        """What these models are asked in."""
        ...

    @property
    @override
    def needs(self) -> Needs:
        variable = self.upstream.key_variable
        return Needs(variables=() if variable is None else (variable,))
