"""R-11: code is written against tests, where the project has any.

That tests are required says nothing about who writes them when: it is proved by the test
gate, which must then have run and have no objection. Documents and settings are exempt.
"""

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from pm_orchestrator.domain.gate import Gate
from pm_orchestrator.domain.outcome import FileChange
from pm_orchestrator.gates.detection import is_document
from pm_orchestrator.gates.gate_config import is_config

SETTINGS = frozenset({".cfg", ".conf", ".ini", ".json", ".lock", ".toml", ".yaml", ".yml"})


def requires_tests(gates: Iterable[Gate], changes: Sequence[FileChange]) -> bool:
    """Whether this work needs the test gate: it changes code, and there is a gate for it."""
    has_gate = any(gate.kind == "test" for gate in gates)
    return has_gate and any(is_code(change.path) for change in changes)


def is_code(path: str) -> bool:
    """Neither a document nor a settings file."""
    return (
        not is_document(path) and not is_config(path) and PurePosixPath(path).suffix not in SETTINGS
    )
