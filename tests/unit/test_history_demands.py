"""What an instruction asks of the repository itself, and when that is so."""

from collections.abc import Mapping

import pytest

from pm_orchestrator.domain.judging.effect import Effect, Recorded, Refs
from pm_orchestrator.domain.judging.gate import GateReport
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.gates.judge.completion import decide
from pm_orchestrator.runner.instructions.requirement import understand
from pm_orchestrator.runner.places.place import Seen
from pm_orchestrator.runner.run.facts import KnownElsewhere, Quality, Wanted, facts_of
from pm_orchestrator.runner.run.phases.observing import observe
from pm_orchestrator.testing.memory.memory_place import MemoryPlace

ASKED = {
    # A ref that must not be there any more.
    "Delete the branch old-experiment": ["branch gone old-experiment"],
    "Remove branch feature/login, it's merged already": ["branch gone feature/login"],
    "Delete the local branches tmp and wip": ["branch gone tmp", "branch gone wip"],
    "Please drop the old `spike` branch": ["branch gone spike"],
    "Get rid of the tag v0.9": ["tag gone v0.9"],
    "git tag --delete v0.8 v0.9": ["tag gone v0.8", "tag gone v0.9"],
    "ブランチold-experimentを削除してください": ["branch gone old-experiment"],
    "feature/loginブランチを消して。もうマージ済みです": ["branch gone feature/login"],
    "tmpとwipのブランチを削除して": ["branch gone tmp", "branch gone wip"],
    "タグv0.9を削除して": ["tag gone v0.9"],
    "「spike」というブランチは削除してください": ["branch gone spike"],
    # Another name.
    "Rename the branch master to trunk": ["branched master → trunk", "branch gone master"],
    "Rename the master branch to trunk": ["branched master → trunk", "branch gone master"],
    "Rename the current branch to fix/login": ["branched fix/login"],
    "git branch -m topic": ["branched topic"],
    "masterブランチの名前をtrunkに変更して": ["branched master → trunk", "branch gone master"],
    "ブランチmasterをtrunkにリネームして": ["branched master → trunk", "branch gone master"],
    # Another message, or another commit in place of the last.
    'Amend the last commit message to "Fix login"': ["reworded Fix login"],
    "Amend the message of the last commit to 'Start the handbook'": ["reworded Start the handbook"],
    'Reword the message of the last commit: it should say "Add discounts"': [
        "reworded Add discounts"
    ],
    "Fix the typo in the last commit message": ["reworded"],
    "Change the commit message to `Tidy up`": ["reworded Tidy up"],
    "直前のコミットメッセージを「ログインを修正」に変更してください": ["reworded ログインを修正"],
    "最後のコミットのメッセージを書き直して。「割引を追加」にしてほしい": ["reworded 割引を追加"],
    "最新のコミットメッセージの誤字を直して": ["reworded"],
    "Amend the last commit so that it holds the new file": ["amended"],
    "Squash the last two commits": ["squashed"],
    "直近のコミットを一つにまとめて": ["squashed"],
    # New ones.
    "Check out a new branch fix/timeouts": ["branched fix/timeouts"],
    "Set up a new branch for this": ["branched"],
    "Create the branches wip/a and wip/b": ["branched wip/a", "branched wip/b"],
    "Create a branch wip and commit": ["branched wip", "committed"],
    'git commit -am "wip"': ["committed wip"],
    "origin/mainをこのブランチにマージして": ["merged origin/main"],
    "Create the release/2 branch": ["branched release/2"],
    "git switch -c topic": ["branched topic"],
    "Do the work on a new branch": ["branched"],
    "新しいブランチを切ってください": ["branched"],
    "ブランチtopicを作成して": ["branched topic"],
    "developブランチを今のブランチにマージしてください": ["merged develop"],
    "cleanupブランチを作って、使われていないimportを消してコミットして": [
        "committed",
        "branched cleanup",
    ],
    # Words that are no history here.
    "Add a command to delete branches": [],
    "Add a button that deletes the tag": [],
    "Update the changelog page with the last commit message": [],
    "Improve the commit message template of the tool": [],
    "Show the last commit message in the footer": [],
    "Delete a branch's cache when the branch is deleted": [],
    "Do not delete the branch old-experiment, only fix the parser": [],
    "Merge the two config loaders into one": [],
    "Merge them": [],
    "Make a branch with a better name for it": [],
    "Fix the parser but do not amend the last commit": [],
    "ブランチを削除するコマンドを追加して": [],
    "ブランチold-experimentは削除しないで、バグだけ直して": [],
    "コミットメッセージのテンプレートを改善して": [],
    "保存中はコミットボタンを無効にして": [],
    "How do I delete the branch old-experiment?": [],
    "ブランチold-experimentを削除する方法を教えて": [],
}


@pytest.mark.parametrize("instruction", ASKED)
def test_what_is_asked_of_the_repository(instruction: str) -> None:
    found = understand(instruction, "task-1").effects
    assert [effect.say() for effect in found] == ASKED[instruction]


@pytest.mark.parametrize(
    "instruction",
    [
        "Merge docs/install.md into docs/guide.md and delete docs/install.md",
        "docs/install.mdをdocs/guide.mdに統合して、docs/install.mdは削除して",
    ],
)
def test_a_document_is_no_branch(instruction: str) -> None:
    found = understand(instruction, "task-1")
    assert found.effects == ()
    assert (found.files_to_change, found.files_to_go) == (("docs/guide.md",), ("docs/install.md",))


WERE = Refs(head="1", branches={"main": "1", "old": "1"}, tags={"v1": "1"})


def now(
    branches: Mapping[str, str] | None = None,
    tags: Mapping[str, str] | None = None,
    *,
    amended: bool = False,
    message: str = "",
) -> Recorded:
    refs = Refs(
        head="2",
        branches=dict(WERE.branches if branches is None else branches),
        tags=dict(WERE.tags if tags is None else tags),
    )
    return Recorded(refs=refs, amended=amended, message=message)


GONE = Effect(kind="branch_gone", name="old")
NEW_NAME = Effect(kind="branched", name="new", source="old")
REWORDED = Effect(kind="reworded", name="Start the handbook")


def test_what_became_of_a_ref_is_named_as_the_proof() -> None:
    proof = KnownElsewhere(effects=(GONE,))
    seen = Seen(tree="tree", changes=(), absent=frozenset())
    green = Quality(report=GateReport(commit="tree", results=()))
    done = decide(facts_of(Wanted(instruction="x", repairs="x"), seen, green, (), proof))
    assert (done.status, done.reason_key) == (TaskStatus.COMPLETE, "effects_proved")
    assert done.reason_params["effects"] == "branch gone old"


@pytest.mark.parametrize(
    ("effect", "recorded", "so"),
    [
        (GONE, now({"main": "1"}), True),
        (GONE, now(), False),
        # What never was cannot have been meant.
        (Effect(kind="branch_gone", name="cloud"), now(), None),
        (Effect(kind="tag_gone", name="v1"), now(tags={}), True),
        (Effect(kind="tag_gone", name="v1"), now(), False),
        (NEW_NAME, now({"main": "1", "new": "1"}), True),
        (NEW_NAME, now(), False),
        (Effect(kind="branched", name="site", source="column"), now(), None),
        (REWORDED, now(amended=True, message="Start the\nhandbook\n\nwith a body"), True),
        (REWORDED, now(amended=True, message="Start"), False),
        (Effect(kind="reworded"), now(amended=True, message="Anything"), True),
        # Amended without a new message, or said in a commit on top.
        (Effect(kind="reworded"), now(amended=True), False),
        (REWORDED, now(message="Start the handbook"), False),
        (Effect(kind="amended"), now(amended=True), True),
        (Effect(kind="amended"), now(), False),
        (GONE, None, False),
    ],
)
async def test_a_ref_is_asked_and_nobody_else(
    effect: Effect, recorded: Recorded | None, so: bool | None
) -> None:
    place = MemoryPlace({}, {})
    place.recorded_now = recorded
    wanted = Wanted(instruction="x", repairs="x", effects=(effect,))
    seen = Seen(tree="tree", changes=(), absent=frozenset())
    found = await observe(place, wanted, seen, WERE)
    assert found.met == ((effect,) if so else ())
    assert found.unmet == ((effect,) if so is False else ())
