"""Where the merger may go, from both sides."""

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.domain.naming import branch_name, integration_branch
from pm_orchestrator.runner.places.handover import may_merge_into

names = st.text(st.characters(whitelist_categories=["L", "N"], whitelist_characters="-_/."))
PROTECTED = ("main", "master", "MAIN", "Master", "ｍａｉｎ", "refs/heads/main", "refs/heads/MASTER")


@given(st.sampled_from(PROTECTED), st.frozensets(names))
def test_main_and_master_are_never_merged_into(branch: str, configured: frozenset[str]) -> None:
    """E-8 Merge Branch Restriction: no setting opens main or master."""
    assert not may_merge_into(branch)
    assert not may_merge_into(branch, configured | {branch, "main", "master"})


@given(st.integers(0, 9999), names)
def test_our_own_and_the_integration_branches_are_open(number: int, title: str) -> None:
    """E-8 Merge Branch Restriction: what the merger needs is allowed."""
    ticket = f"20260115-{number:04d}"
    assert may_merge_into(integration_branch(ticket))
    assert may_merge_into(branch_name(ticket, title))
    assert may_merge_into("develop")
    assert may_merge_into("refs/heads/staging")


@given(names)
def test_what_is_not_known_is_closed(branch: str) -> None:
    """E-8 Merge Branch Restriction: an unknown branch may be anybody's main branch."""
    known = branch in {"develop", "staging"} or branch.startswith("agent/")
    assert known or not may_merge_into(branch)


@pytest.mark.parametrize("branch", ["trunk", "release/1", "origin/main", "agent/", "", "agent"])
def test_other_branches(branch: str) -> None:
    assert not may_merge_into(branch)


def test_a_project_may_name_its_own_integration_branch() -> None:
    assert may_merge_into("next", frozenset({"next"}))
    assert not may_merge_into("develop", frozenset({"next"}))
