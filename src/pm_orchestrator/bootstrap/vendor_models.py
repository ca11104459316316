"""What a provider itself says which models it has, for who chooses one."""

from collections.abc import Mapping

from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.domain.setup.settings import ModelSettings

PATIENCE_S = 5.0
"""Somebody waits for the list, and there is another one."""


async def vendor_models(
    provider: str, variables: Mapping[str, str], settings: ModelSettings
) -> tuple[str, ...]:
    """The names; none where nobody is there to be asked, or the key is missing.

    Raises:
        PmError: E6xx where the vendor does not say.
    """
    if provider not in MODELS.names:
        return ()
    vendor = MODELS.load(provider)
    if not vendor.upstream.is_ready(variables):
        return ()
    from pm_orchestrator.adapters.models.vendor_list import ListAsked, vendor_list
    from pm_orchestrator.bootstrap.traffic.gateway_source import sent_besides

    asked = ListAsked(
        variables=variables,
        patience_s=PATIENCE_S,
        ca_file=settings.ca_file,
        also=sent_besides(settings, provider, variables),
    )
    return await vendor_list(vendor, asked)
