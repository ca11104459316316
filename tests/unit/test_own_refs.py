"""Names we write as refs are names git accepts, and ours alone."""

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.adapters.git.refs import branch_ref, own_ref
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.naming import branch_name, integration_branch


@given(st.text(max_size=80))
def test_every_branch_we_name_is_one_of_ours(title: str) -> None:
    ref = f"refs/heads/{branch_name('20260115-abcd-01', title)}"
    assert own_ref(ref) == ref
    assert own_ref(f"refs/heads/{integration_branch('20260115-abcd')}")


@given(st.text(st.sampled_from("ab.-_/~^:?*[\\@{} \n\0é"), max_size=12))
def test_no_other_spelling_gets_through(name: str) -> None:
    ref = f"refs/pm/{name}"
    good = not set(name) & set("~^:?*[\\@{} \n\0é") and all(
        part and part[0] not in ".-" and part[-1] != "." and ".." not in part
        for part in name.split("/")
    )
    if good:
        assert own_ref(ref) == ref
    else:
        with pytest.raises(PmError, match="E802"):
            own_ref(ref)


@pytest.mark.parametrize("branch", ["pm-check", "pm-rescue", "agent/x", "develop"])
def test_a_bundle_may_carry_any_plain_branch(branch: str) -> None:
    assert branch_ref(branch) == f"refs/heads/{branch}"


def test_a_name_has_an_end() -> None:
    with pytest.raises(PmError, match="E802"):
        own_ref("refs/pm/" + "x" * 300)
