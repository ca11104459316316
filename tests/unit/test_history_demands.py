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
    "Delete the branches that are already merged into main": ["branch gone merged into main"],
    "Please clean up all merged branches.": ["branch gone"],
    "main にマージ済みのブランチを削除してください": ["branch gone merged into main"],
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
    # Commits that are called by what they say, by an id or by their place.
    '"Retry thirty times" was a mistake, revert that commit please': [
        "reverted Retry thirty times"
    ],
    'Revert "Raise the timeout" and "Retry more"': [
        "reverted Raise the timeout",
        "reverted Retry more",
    ],
    "Revert the last commit": ["reverted HEAD"],
    "git revert abc1234": ["reverted abc1234"],
    'I want "Raise the timeout" cherry-picked onto main': ["picked Raise the timeout at main"],
    "Cherry-pick abc1234 and def5678 onto release/1.0": [
        "picked abc1234 at release/1.0",
        "picked def5678 at release/1.0",
    ],
    'Bring the commit "Fix rounding" from hotfix over to main': ["picked Fix rounding at main"],
    "branch maint/2.0 from tag v2.0.0": ["branched maint/2.0 at v2.0.0"],
    'Tag the commit "Extend the guide" as v0.2.0': ["tagged v0.2.0 at Extend the guide"],
    'Create a tag v1.0 on the commit that says "Start on 3.0"': ["tagged v1.0 at Start on 3.0"],
    'Revert the commit "Add x" and tag v1.0.1': ["reverted Add x", "tagged v1.0.1"],
    "「Extend the guide」のコミットに注釈付きタグ v0.2.0 を付けて": [
        "tagged v0.2.0 at Extend the guide"
    ],
    "hotfix の「Raise it」と「Say where」を main に cherry-pick して": [
        "picked Raise it at main",
        "picked Say where at main",
    ],
    "直前のコミットをリバートしてください": ["reverted HEAD"],
    "「Retry more」のコミットを取り消してください": ["reverted Retry more"],
    # Files that git is to let go.
    "Somebody committed local.env. Stop tracking it.": ["untracked local.env"],
    "Untrack build/ and dist/": ["untracked build", "untracked dist"],
    "Untrack libX/": ["untracked libX"],
    "Remove secrets.yml from git but keep the file": ["untracked secrets.yml"],
    "local.env を git の管理から外して": ["untracked local.env"],
    ".envの追跡をやめて": ["untracked .env"],
    # Folders.
    "Rename the folder docs to documentation": ["moved docs → documentation"],
    "docs フォルダを documentation に改名して": ["moved docs → documentation"],
    "Add the repository ../theme as a git submodule at vendor/theme": ["directory vendor/theme"],
    # Words that are no history here.
    'Revert the wording from "run it" to "start it"': [],
    "Revert my changes to shop/cart.py": [],
    "Revert the parser to the old behaviour": [],
    "Stop tracking usage statistics in app.py": [],
    'Cherry-pick nothing, but explain "Retry more" in README.md': [],
    "revertコマンドを追加して": [],
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
