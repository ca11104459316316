"""Whether the models that a company would ask are there: their vendors are asked themselves."""

from urllib.parse import urlsplit

from pm_orchestrator.bootstrap.doctor.surroundings import Finding, Surroundings
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.bootstrap.vendor_models import vendor_models
from pm_orchestrator.domain.errors import PmError

SHOWN_NAMES = 5
UNLISTED = frozenset({"HTTP 404", "HTTP 405", "HTTP 501"})


async def vendors(surroundings: Surroundings) -> list[Finding]:
    """Ask each chosen vendor that can be asked, all of them at the same time."""
    company = surroundings.chosen.company
    wanted = {company.adapter: company.model}
    if company.fallback is not None:
        wanted.setdefault(company.fallback.adapter, company.fallback.model)
    variables = surroundings.environment.variables
    ready = {n: m for n, m in wanted.items() if MODELS.load(n).upstream.is_ready(variables)}
    return [await _examined(surroundings, name, model) for name, model in ready.items()]


async def known_models(surroundings: Surroundings, adapter: str) -> tuple[str, ...]:
    """What the vendor of an adapter lists.

    Raises:
        PmError: E601 to E603 where it does not answer, or not to this key.
    """
    variables = surroundings.environment.variables
    return await vendor_models(adapter, variables, surroundings.chosen.model_calls)


async def _examined(surroundings: Surroundings, name: str, model: str) -> Finding:
    check = f"{name} models"
    upstream = MODELS.load(name).upstream
    # An address may have a password in it.
    place = urlsplit(upstream.address(surroundings.environment.variables)).hostname or name
    try:
        known = await known_models(surroundings, name)
    except PmError as error:
        params = {"place": place, "reason": error.what(surroundings.lang)}
        # A company's gateway that answers questions need not know lists.
        passes = error.next_step == "retry" or error.params.get("reason") in UNLISTED
        level = "note" if passes else "problem"
        return surroundings.found(check, level, "vendor_silent", **params)
    # Whoever names no version of Ollama's means the latest.
    if not {model, f"{model}:latest"} & set(known):
        some = ", ".join(known[:SHOWN_NAMES]) + (", …" if len(known) > SHOWN_NAMES else "")
        return surroundings.found(check, "note", "model_unlisted", name=model, some=some)
    return surroundings.found(check, "ok", "vendor_listed", place=place, name=model)
