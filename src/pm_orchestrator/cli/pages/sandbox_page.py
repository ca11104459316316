"""What a worker's sandbox is like, for a person."""

import shlex
from collections.abc import Iterator

from pm_orchestrator.bootstrap.sandboxing.sandbox_shop import LayerState, SandboxState
from pm_orchestrator.cli.pages.sizes import size_text
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.text import Lang

SHOWN = 5
"""Names of files; a project may have built hundreds."""


def sandbox_page(state: SandboxState, lang: Lang) -> list[str]:
    """One line for each thing."""
    return list(_lines(state, lang))


def _lines(state: SandboxState, lang: Lang) -> Iterator[str]:
    for runtime in state.runtimes:
        problem = runtime.problem or say("sandbox_ready", lang)
        yield f"{'✗' if runtime.problem else '✓'} {runtime.name}: {problem}"
    for seen in state.directories:
        key = "sandbox_sees_writable" if seen.writable else "sandbox_sees"
        yield f"· {say(key, lang, source=seen.source)}"
        if seen.hidden:
            yield f"    {say('sandbox_hides', lang, names=', '.join(seen.hidden))}"
    if state.files:
        shown = ", ".join(state.files[:SHOWN]) + (" …" if len(state.files) > SHOWN else "")
        yield f"· {say('sandbox_copies', lang, count=len(state.files), names=shown)}"
    if state.layer is not None:
        yield layer_line(state.layer, lang)
    if state.held_by:
        by = ", ".join(f"{name} ({how})" for name, how in state.held_by.items())
        yield f"· {say('sandbox_held', lang, limits=by)}"
    if state.unenforced:
        yield f"· {say('sandbox_unenforced', lang, limits=', '.join(state.unenforced))}"
    for gate in state.gates:
        key = "sandbox_gate_runs" if gate.runs else "sandbox_gate_lacks"
        mark = "✓" if gate.runs else "✗"
        yield f"{mark} {gate.kind}: {say(key, lang, check=shlex.join(gate.command))}"
    if not state.gates and any(runtime.problem is None for runtime in state.runtimes):
        yield f"· {say('sandbox_no_gates', lang)}"


def layer_line(layer: LayerState, lang: Lang) -> str:
    """What is installed for the project's sandboxes, or how that is done."""
    if not layer.built:
        return f"· {say('layer_missing', lang, commands='; '.join(layer.commands))}"
    names, size = ", ".join(layer.directories), size_text(layer.size)
    return f"✓ {say('layer_there', lang, name=layer.key[:8], names=names, size=size)}"
