"""What commits are to say and hold, where refs are to stand, and which scripts are to run."""

import pytest
from msgspec.structs import replace

from pm_orchestrator.domain.judging.commit_terms import left_out_unasked
from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.runner.instructions.requirement import understand
from pm_orchestrator.runner.instructions.resolving import KnownFiles, resolve_names
from pm_orchestrator.runner.run.phases.scripts import with_scripts
from pm_orchestrator.testing.memory.memory_place import MemoryPlace

ASKED = {
    # A branch begins somewhere, a tag points somewhere.
    "Create a branch release/0.1 from the tag v0.1.0": ["branched release/0.1 at v0.1.0"],
    "Create branch fix/x off develop": ["branched fix/x at develop"],
    "Create a branch off of develop called fix/x": ["branched fix/x at develop"],
    "Make a new branch topic based on main~2": ["branched topic at main~2"],
    "From v0.1.0, please create a branch release/0.1": ["branched release/0.1 at v0.1.0"],
    "git branch release/1 v1.0.0": ["branched release/1 at v1.0.0"],
    "git checkout -b fix/x": ["branched fix/x"],
    "Create a branch fix/x and copy the intro from main": ["branched fix/x"],
    "Tag the previous commit as v0.1.1": ["tagged v0.1.1 at HEAD~1"],
    "Tag the commit before that as v0.1.1": ["tagged v0.1.1 at HEAD~1"],
    "Create a tag called v1.0.0 two commits ago": ["tagged v1.0.0"],
    "Create a tag v1.0.0 at two commits back": ["tagged v1.0.0 at HEAD~2"],
    "Tag HEAD~1 as v1.0.0": ["tagged v1.0.0 at HEAD~1"],
    "Tag the tip of develop as v2.0.0": ["tagged v2.0.0 at develop"],
    "Tag the current commit as v0.1.0": ["tagged v0.1.0 at HEAD"],
    "git tag v1.0.0 abc1234": ["tagged v1.0.0 at abc1234"],
    "Create the tag 'v1.0.0' on abc1234": ["tagged v1.0.0 at abc1234"],
    "Tag HEAD as 'stable'": ["tagged stable at HEAD"],
    "Tag the photo as 'cat'": [],
    "Add a tag 'urgent' to each entry": [],
    "HEADの一つ前にv1.0.0タグを付けて": ["tagged v1.0.0 at HEAD~1"],
    "Tag the release as v1.2.0": ["tagged v1.2.0"],
    "Tag it as v1.2.0 and push nothing": ["tagged v1.2.0"],
    "タグ v0.1.0 から release/0.1 ブランチを作成して": ["branched release/0.1 at v0.1.0"],
    "release/0.1ブランチをタグv0.1.0から作成して": ["branched release/0.1 at v0.1.0"],
    "developをベースにして新しいブランチtopicを切って": ["branched topic at develop"],
    "docs/faq というブランチを切って": ["branched docs/faq"],
    "一つ前のコミットに v0.1.1 のタグを付けて": ["tagged v0.1.1 at HEAD~1"],
    "タグv1.0.0を2つ前のコミットに付けて": ["tagged v1.0.0 at HEAD~2"],
    "v1.0.0タグをHEAD~1に付けて": ["tagged v1.0.0 at HEAD~1"],
    "現在のコミットにv1.0.0のタグを付けて": ["tagged v1.0.0 at HEAD"],
    "v1.0.0のタグを付けて": ["tagged v1.0.0"],
    "Merge feature/title into the branch main": ["merged feature/title into main"],
    "feature/searchブランチをmainにマージして": ["merged feature/search into main"],
    # What a commit is to say.
    "Commit my changes with the message 'Raise it'": ["committed Raise it"],
    "Commit a.md and b.md with the commit message: 'Raise it'": ["committed Raise it a.md, b.md"],
    'Commit everything. The message should be "Don\'t retry".': ["committed Don't retry"],
    "git commit -am 'Raise it'": ["committed Raise it"],
    "Squash the last two commits into one with the message 'All'": ["squashed All"],
    "Combine the last two commits into one": ["squashed"],
    "Combine the two loaders into one": [],
    "全部コミットしてください。メッセージは「設定を更新」で": ["committed 設定を更新"],
    "「設定を更新」というメッセージでコミットして": ["committed 設定を更新"],
    "コミットメッセージは「設定を更新」にして、全部コミットして": ["committed 設定を更新"],
    "Raise ValueError with the message 'No such id' and commit": ["committed"],
    "Commit it and show an error with the message 'No such id'": ["committed"],
    "Commit it with a message like 'Fix the header'": ["committed"],
    "Commit it with the message 'Fix <what you found>'": ["committed"],
    "エラーメッセージは「だめです」にしてコミットして": ["committed"],
    "「だめです」というメッセージで失敗するようにして、コミットして": ["committed"],
    # All that a commit may hold.
    "Commit docs/guide.md and nothing else": ["committed only docs/guide.md"],
    "Only commit docs/guide.md": ["committed only docs/guide.md"],
    "Commit just a.md and b.md": ["committed only a.md, b.md"],
    "Commit the changes in docs/ only": ["committed only docs"],
    "Commit only the docs folder": ["committed only docs"],
    "Update a.md and commit only a.md": ["committed only a.md"],
    "docs/guide.mdだけをコミットして": ["committed only docs/guide.md"],
    "a.mdとb.mdの変更のみコミットして": ["committed only a.md, b.md"],
    "コミットするのはa.mdだけにして、コミットして": ["committed only a.md"],
    "Commit docs/guide.md": ["committed docs/guide.md"],
    "Commit only my change in a.md. b.md has scribbles, leave that one uncommitted.": [
        "committed only a.md without b.md"
    ],
    "Commit everything but notes.md": ["committed without notes.md"],
    "Commit what I have staged, and only that. notes.md stays as it is, uncommitted.": [
        "committed without notes.md"
    ],
    "a.mdだけコミットして。b.mdはコミットしないで": ["committed only a.md without b.md"],
    "b.md以外をコミットして": ["committed without b.md"],
    "docs/guide.mdを直してコミットして": ["committed"],
    "Only commit when the tests pass": [],
    # Scripts by their directory.
    "Make all scripts in bin executable": ["executable bin/"],
    "Make every file under the scripts/ directory executable": ["executable scripts/"],
    "Set the executable bit on all scripts in bin/": ["executable bin/"],
    "chmod +x bin/*.sh": ["executable bin/"],
    "Make all shell scripts in the repo executable": ["executable ./"],
    "Make the scripts executable": ["executable ./"],
    "bin以下のスクリプトを全部そのまま実行できるようにして": ["executable bin/"],
    "scriptsフォルダのスクリプトに実行権限を付けて": ["executable scripts/"],
    "すべてのスクリプトに実行権限を付けて": ["executable ./"],
    "deploy.shスクリプトに実行権限を付けて": ["executable deploy.sh"],
    "run.shを作って、スクリプトに実行権限を付けて": ["executable run.sh"],
    "Make sure the scripts in bin are executable": ["executable bin/"],
    "The scripts in bin should be executable": ["executable bin/"],
    "Give the scripts in bin execute permission": ["executable bin/"],
    "Make the scripts in bin faster": [],
    "The scripts in bin should be shorter": [],
    "テストを並列で実行できるようにして": [],
    "スクリプトを引数なしで実行できるようにして": [],
    "デプロイ用のスクリプトをすべて実行できるようにして": [],
}


@pytest.mark.parametrize("instruction", ASKED)
def test_the_terms_of_what_is_asked(instruction: str) -> None:
    found = understand(instruction, "task-1").effects
    assert [effect.say() for effect in found] == ASKED[instruction]


def test_each_message_is_to_be_said() -> None:
    asked = "Commit a.md with the message 'One'. Then commit b.md with the message 'Two'."
    found = understand(asked, "task-1").effects
    assert found == tuple(
        Effect(kind="committed", name=name, takes=(path,))
        for path in ("a.md", "b.md")
        for name in ("One", "Two")
    )


def test_a_file_that_is_all_is_known_by_its_last_part() -> None:
    asked = understand("Commit guide.md and nothing else", "task-1")
    known = KnownFiles(files=("docs/guide.md", "a.md"), there=frozenset(), root="/p")
    assert resolve_names(asked, known, ()).effects == (
        Effect(kind="committed", only=("docs/guide.md",)),
    )


RUNS = b"#!/bin/sh\necho\n"
PROJECT = {
    "bin/rotate.sh": RUNS,
    "bin/stamp": RUNS,
    "bin/README": b"# Scripts\n",
    "bin/lib.sh": b"helper() { :; }\n",
    "tools/one.sh": b"echo\n",
    "tools/two.py": b"print()\n",
    "tools/notes.md": b"#!notes\n",
    "src/app.py": b"#!/usr/bin/env python3\n",
}


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("bin/", ("bin/rotate.sh", "bin/stamp")),
        ("tools/", ("tools/one.sh", "tools/two.py")),
        ("./", ("bin/rotate.sh", "bin/stamp")),
        ("never/", ()),
        ("a.sh", ("a.sh",)),
    ],
    ids=["with a first line", "by their names", "of the project", "of nothing", "one file"],
)
async def test_which_scripts_a_directory_has(name: str, scripts: tuple[str, ...]) -> None:
    place = MemoryPlace(PROJECT, PROJECT)
    wanted = Effect(kind="executable", name=name)
    asked = replace(understand("Make run.sh executable", "task-1"), effects=(wanted,))
    meant = await with_scripts(place, asked)
    assert tuple(effect.name for effect in meant.effects) == scripts


@pytest.mark.parametrize(
    ("instruction", "moved"),
    [
        ("Move all pages from docs/ to docs/manual/", ("docs/a.md", "docs/b.md")),
        ("docs/ のページをすべて docs/manual/ に移動してください", ("docs/a.md", "docs/b.md")),
        ("Move all files from docs/ to docs/manual/", ("docs/a.md", "docs/b.md", "docs/one.sh")),
        ("Move some pages from docs/ to docs/manual/", ()),
        ("Move all pages from docs/ to docs/manual/, except a.md", ()),
        ("docs/ の a.md 以外のページをすべて docs/manual/ に移動して", ()),
        ("Explain how to move all pages from docs/ to docs/manual/", ()),
        ("docs/ のページをすべて docs/manual/ に移動しないでください", ()),
    ],
)
async def test_all_files_of_a_directory_move(instruction: str, moved: tuple[str, ...]) -> None:
    names: list[str] = ["docs/a.md", "docs/b.md", "docs/one.sh", "docs/old/c.md", "README.md"]
    tree = dict.fromkeys(names, b"text\n")
    meant = await with_scripts(MemoryPlace(tree, tree), understand(instruction, "task-1"))
    assert tuple(e.source for e in meant.effects) == moved
    assert all(e.name == e.source.replace("docs/", "docs/manual/") for e in meant.effects)


@pytest.mark.parametrize(
    "instruction",
    [
        "bin/ にある .sh ファイルすべてに実行権限を付けてください",
        "bin/ にあるシェルスクリプトすべてに実行権限を付けて",
    ],
)
def test_all_may_be_said_behind_the_scripts(instruction: str) -> None:
    found = understand(instruction, "task-1").effects
    assert [(effect.kind, effect.name) for effect in found] == [("executable", "bin/")]


@pytest.mark.parametrize(
    ("instruction", "left"),
    [
        ("Merge feature into main", {"docs/intro.md", "app.py"}),
        ("Merge feature into main, but keep docs/guide.md as it is", {"app.py"}),
        ("Merge feature without intro.md", {"app.py"}),
        ("Merge feature, leave myapp.pyc alone", {"docs/intro.md", "app.py"}),
    ],
)
def test_what_a_merge_may_leave_behind(instruction: str, left: set[str]) -> None:
    assert left_out_unasked(["docs/intro.md", "app.py"], instruction) == left
