"""Which files are meant where all of a directory are to become executable, or to lie elsewhere."""

from msgspec.structs import replace

from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.places.place import Place

MOST_READ = 200
"""Files whose first line is looked at."""
SHELLS = (".sh", ".bash", ".zsh", ".ksh")
LANGUAGES = (".py", ".rb", ".pl", ".js", ".mjs", ".php", ".lua")


async def with_scripts(place: Place, requirement: Requirement) -> Requirement:
    """The requirement with each script by its own name."""
    effects: list[Effect] = []
    for effect in requirement.effects:
        if effect.kind == "executable" and effect.name.endswith("/"):
            effects += [replace(effect, name=path) for path in await _scripts(place, effect.name)]
        elif effect.kind == "moved" and effect.source.endswith("/"):
            effects += await _moved(place, effect)
        else:
            effects.append(effect)
    return replace(requirement, effects=tuple(dict.fromkeys(effects)))


async def _moved(place: Place, effect: Effect) -> list[Effect]:
    """One effect for each file that lies in the directory itself."""
    from pm_orchestrator.gates.detect.documents import is_document

    suffixes = (*SHELLS, *LANGUAGES)

    def is_meant(path: str) -> bool:
        if "documents" in effect.only:
            return is_document(path)
        return "scripts" not in effect.only or path.endswith(suffixes)

    inside = (path for path in await place.listing() if path.startswith(effect.source))
    names = [path.removeprefix(effect.source) for path in inside if is_meant(path)]
    return [
        replace(effect, source=f"{effect.source}{name}", name=f"{effect.name}{name}", only=())
        for name in names
        if "/" not in name
    ]


async def _scripts(place: Place, folder: str) -> list[str]:
    """Files that say what runs them; where none does, those whose name says so.

    In a whole project a module of a language may say it, too, and be no script.
    """
    # Most tasks name no scripts, and what reads them is not loaded then.
    from pm_orchestrator.runner.instructions.effects.script_folders import WHOLE

    whole = folder == WHOLE
    suffixes = SHELLS if whole else (*SHELLS, *LANGUAGES)
    found = [
        path
        for path in await place.listing()
        if (whole or path.startswith(folder))
        and (path.endswith(suffixes) or "." not in path.rpartition("/")[2])
    ][:MOST_READ]
    say = [p for p in found if (await place.read_base(p) or b"").startswith(b"#!")]
    return say or [path for path in found if path.endswith(suffixes)]
