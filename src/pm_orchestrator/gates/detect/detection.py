"""Which checks a project has, and which of them a change needs.

Everything is read from what was there before the task, so nobody who works on the project
can choose what they are judged by. For each kind the first source wins whose command can be
run here: the person's settings, the Makefile, what other files say, and at last the tests
themselves. Where none can be run, the first one is still the gate, so that it is said.
"""

from collections.abc import AsyncGenerator, Iterable, Sequence

from pm_orchestrator.domain.judging.gate import Gate, GateKind
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.setup.settings import GateSettings
from pm_orchestrator.gates.detect.base_tree import Argv, BaseTree, Offer
from pm_orchestrator.gates.detect.documents import is_document
from pm_orchestrator.gates.detect.makefile import makefile_targets

KINDS: tuple[GateKind, ...] = ("lint", "test")
COMPILED: dict[str, dict[GateKind, Argv]] = {
    "Cargo.toml": {"lint": ("cargo", "clippy", "--all-targets"), "test": ("cargo", "test")},
    "go.mod": {"lint": ("go", "vet", "./..."), "test": ("go", "test", "./...")},
}


async def detect(base: BaseTree, configured: GateSettings | None = None) -> tuple[Gate, ...]:
    """The project's gates, lint first.

    Raises:
        PmError: E104 when a file that would say it cannot be read; guessing that there
            is no gate would let everything pass.
    """
    settings = configured or GateSettings()
    decided: dict[GateKind, Argv | None] = {"lint": settings.lint, "test": settings.test}
    chosen = {k: Gate(kind=k, argv=argv, source="settings") for k, argv in decided.items() if argv}
    open_kinds: set[GateKind] = {kind for kind in KINDS if decided[kind] is None}
    plain: dict[GateKind, Gate] = {}
    async for offer in _offers(base, open_kinds):
        kind, source = offer.kind, offer.source
        if kind not in open_kinds:
            continue
        last = Gate(kind=kind, argv=offer.ways[-1], source=source, not_installed=offer.by_settings)
        plain.setdefault(kind, last)
        for argv in offer.ways:
            if await base.can_run(argv):
                other = [way for way in offer.otherwise if await base.can_run(way)]
                otherwise = other[0] if other else ()
                chosen[kind] = Gate(kind=kind, argv=argv, source=source, otherwise=otherwise)
                open_kinds.remove(kind)
                break
    return tuple((plain | chosen)[kind] for kind in KINDS if kind in plain | chosen)


async def _offers(base: BaseTree, open_kinds: set[GateKind]) -> AsyncGenerator[Offer]:
    """From one source after the other, as long as something is open; most need but one."""
    for offer in await _makefile(base):
        yield offer
    if not open_kinds:
        return
    from pm_orchestrator.gates.detect.just_recipes import just_offers
    from pm_orchestrator.gates.detect.node_gates import node_test_offers, script_offers
    from pm_orchestrator.gates.detect.python_gates import pyproject_offers, pytest_offers
    from pm_orchestrator.gates.detect.python_test_files import python_test_offers
    from pm_orchestrator.gates.detect.task_runners import task_runner_offers

    settings = (just_offers, pyproject_offers, task_runner_offers, pytest_offers)
    tests = (python_test_offers, node_test_offers)
    for source in (*settings, script_offers, _compiled, *tests):
        if source in tests and "test" not in open_kinds:
            return
        for offer in await source(base):
            yield offer
        if not open_kinds:
            return


async def _makefile(base: BaseTree) -> list[Offer]:
    makefile = await makefile_targets(base.read_base)
    if makefile is None:
        return []
    name, targets = makefile
    return [Offer(kind, name, (("make", kind),)) for kind in KINDS if kind in targets]


async def _compiled(base: BaseTree) -> list[Offer]:
    return [
        Offer(kind, name, (argv,))
        for name, commands in COMPILED.items()
        if await base.read_base(name) is not None
        for kind, argv in commands.items()
    ]


def applicable(
    gates: Iterable[Gate], changes: Sequence[FileChange], *, more_than_texts: bool = False
) -> tuple[Gate, ...]:
    """The gates a change needs: none for documents alone, all of them otherwise."""
    return () if only_documents(changes) and not more_than_texts else tuple(gates)


def only_documents(changes: Sequence[FileChange]) -> bool:
    """Whether nothing was touched that is more than a document by its name and place."""
    return all(is_document(path) for path in touched_paths(changes))


def touched_paths(changes: Iterable[FileChange]) -> set[str]:
    """Every path that changes are about, those that files had before among them."""
    return {path for c in changes for path in (c.path, c.previous_path) if path}


def altered_gates(
    gates: Iterable[Gate], changes: Iterable[FileChange], named: Iterable[str]
) -> tuple[str, ...]:
    """Makefiles that define one of `gates` and were changed without being `named` by the task.

    A package's own file is not among them: it holds much besides the gate, and adding a
    dependency to it is honest work.
    """
    sources = {g.source for g in gates if g.source.lower().endswith("makefile")} - set(named)
    return tuple(sorted(sources & touched_paths(changes)))
