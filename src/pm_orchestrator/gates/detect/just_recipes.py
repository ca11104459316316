"""Which recipes a justfile has, without running just."""

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.base_tree import BaseTree, Offer, text_in

NAMES = ("justfile", "Justfile", ".justfile")
# `test arg="x": build`, `@lint:`, but not `name := value`.
RECIPE = LatePattern(r"@?(?P<name>[A-Za-z_][\w-]*)(?:\s[^:]*)?:(?!=)")


async def just_offers(base: BaseTree) -> list[Offer]:
    """`just lint` and `just test`, where there are such recipes."""
    for name in NAMES:
        text = await text_in(base, name)
        if text is not None:
            found = recipes_in(text)
            return [Offer(k, name, (("just", k),)) for k in ("lint", "test") if k in found]
    return []


def recipes_in(text: str) -> frozenset[str]:
    """The names of the recipes in a justfile; what is indented is their text."""
    matches = (RECIPE.match(line) for line in text.splitlines())
    return frozenset(match["name"] for match in matches if match is not None)
