"""Every reason can be said in both languages, and an unknown one cannot be stored."""

import string

import msgspec
import pytest

from pm_orchestrator.domain.catalogue.reasons import all_reasons
from pm_orchestrator.domain.judging.gate import GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import Facts, FileChange, VerifiedOutcome
from pm_orchestrator.domain.record import MalformedRecordError, from_json, to_json
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.gates.judge.completion import decide

FACTS = Facts(commit=None, changes=(), expected_files=(), missing_files=(), gates=None)


def places(text: str) -> set[str]:
    return {name.partition("|")[0] for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", all_reasons())
def test_both_languages_say_the_same(key: str) -> None:
    assert places(all_reasons()[key].en) == places(all_reasons()[key].ja)
    assert all_reasons()[key].en.endswith((".", "}"))
    assert all_reasons()[key].ja.endswith(("。", "}"))


def test_an_outcome_with_an_unknown_reason_is_malformed() -> None:
    stored = to_json(decide(FACTS)).replace(b"nothing_delivered", b"because")
    with pytest.raises(MalformedRecordError, match="because"):
        from_json(VerifiedOutcome, stored)


def test_a_gate_with_an_unknown_reason_is_malformed() -> None:
    with pytest.raises(ValueError, match="unknown reason"):
        GateResult(kind="lint", verdict=GateVerdict.PASS, output="", reason_key="because")


def test_a_delivery_without_a_change_is_told_apart_from_none() -> None:
    assert decide(FACTS).reason_key == "nothing_delivered"
    same = msgspec.structs.replace(FACTS, commit="c" * 40)
    assert decide(same).reason_key == "nothing_changed"
    change = FileChange(path="a.py", kind="created", size=0)
    hollow = msgspec.structs.replace(same, changes=(change,), expected_files=("a.py",))
    assert decide(hollow).reason() == "Empty, although content was asked for: a.py."
    assert decide(hollow).reason("ja") == "内容が求められていますが空です: a.py。"


def test_many_names_are_cut_short() -> None:
    gone = tuple(f"f{n}" for n in range(14))
    facts = msgspec.structs.replace(FACTS, answer_size=1, missing_files=gone)
    outcome = decide(facts)
    assert outcome.status is TaskStatus.INCOMPLETE
    assert outcome.reason().endswith("f9 … (+4).")
