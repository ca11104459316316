"""Whether a gate that was run on the untouched base can prove anything here at all.

Said before a token is spent, with what is missing and, where the project's own files tell it,
the one command that cures it.
"""

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.gate import GateResult, GateVerdict
from pm_orchestrator.gates.detect.base_tree import BaseTree
from pm_orchestrator.gates.detect.preparing import is_declared, lacking, preparation
from pm_orchestrator.gates.detect.setup_recipes import SetupRecipe

NOT_TO_BE_HAD = frozenset(
    {"gate_not_started", "gate_program_missing", "gate_timed_out", "gate_out_of_memory"}
)
"""Why a gate will not run for anybody, whatever they write; a project may well have no
test yet, or no such target."""


async def refuse_hopeless(
    base: BaseTree, result: GateResult, unbuilt: SetupRecipe | None = None
) -> None:
    """Raises PmError E906 when it never will.

    `unbuilt` is what would install more of what the project needs.

    A red base alone is no reason: but one where no test ran, for want of a module that the
    project itself asks for.
    """
    thing = lacking(result.output)
    if result.verdict is not GateVerdict.COULD_NOT_RUN:
        blind = result.verdict is GateVerdict.FAIL and not result.tests
        if not blind or thing is None or not await is_declared(base, thing.name):
            return
    elif result.reason_key not in NOT_TO_BE_HAD:
        return
    if thing is not None:
        command = await preparation(base, thing)
        if unbuilt is not None and (command is not None or unbuilt.by_settings):
            commands = "; ".join(unbuilt.commands)
            raise PmError(
                "base_gate_unbuilt", gate=result.kind, missing=thing.name, commands=commands
            )
        if command is not None:
            raise PmError(
                "base_gate_unprepared", gate=result.kind, missing=thing.name, command=command
            )
        if not thing.is_module:
            raise PmError("base_gate_lacks_program", gate=result.kind, missing=thing.name)
    output = " ".join(result.output.split())[-300:] or "-"
    raise PmError("base_gate_unusable", gate=result.kind, output=output)
