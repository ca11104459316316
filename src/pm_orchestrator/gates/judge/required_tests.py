"""R-11: code is written against tests, where the project has any.

That tests are required says nothing about who writes them when: it is proved by the test
gate, which must then have run and have no objection. Documents and settings are exempt.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath

from pm_orchestrator.domain.judging.gate import GateReport, GateVerdict
from pm_orchestrator.gates.detect.documents import is_document

SETTINGS = frozenset({".cfg", ".conf", ".ini", ".json", ".lock", ".toml", ".yaml", ".yml"})


def requires_tests(gates: Iterable[str], changed: Iterable[str]) -> bool:
    """Whether work needs the test gate, by kinds of gates there are and paths it changes."""
    return "test" in gates and any(map(is_code, changed))


def rests_on_files(report: GateReport | None, changed: Iterable[str]) -> bool:
    """Whether code was changed and the project has no test that could speak for it."""
    results = report.results if report is not None else ()
    tested = any(r.kind == "test" and r.verdict is not GateVerdict.ABSENT for r in results)
    return not tested and any(map(is_code, changed))


def is_code(path: str) -> bool:
    """Neither a document nor a settings file."""
    if is_document(path) or PurePosixPath(path).suffix in SETTINGS:
        return False
    from pm_orchestrator.gates.weaker.gate_config import is_config

    return not is_config(path)
