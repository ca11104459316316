"""Which files an instruction makes the object of a change; what is not sure is not demanded."""

import pytest

from pm_orchestrator.runner.instructions.targets import targets

DEMANDED = {
    "Update README.md": "README.md",
    "Update README.md with the new options": "README.md",
    "Please update the README.md": "README.md",
    "Could you update README.md?": "README.md",
    "Update the file docs/guide.md": "docs/guide.md",
    "Edit `config.json` so that debug is on": "config.json",
    "Modify setup.py": "setup.py",
    "Rewrite README.md": "README.md",
    "Change settings.toml": "settings.toml",
    "Extend docs/guide.md with a chapter on errors": "docs/guide.md",
    "Append to CHANGELOG.md a line about it": "CHANGELOG.md",
    "Bump package.json to 2.0": "package.json",
    "Update and revise ./docs/intro.md": "docs/intro.md",
    "Update README.md and CHANGELOG.md": "README.md CHANGELOG.md",
    "Update both README.md and `CHANGELOG.md`.": "README.md CHANGELOG.md",
    "Update README.md, CHANGELOG.md and LICENSE for the release": "README.md CHANGELOG.md LICENSE",
    "Create app.py and update README.md": "README.md",
    "Add a --json option to app.py, then update README.md": "app.py README.md",
    # The place that is named for a change is changed; where a fault shows is not always.
    "Add a test for calc.py in tests/test_calc.py": "tests/test_calc.py",
    "Change the greeting in app.py": "app.py",
    "Update the docs in README.md": "README.md",
    "tests/test_calc.pyにcalc.pyのテストを追加して": "tests/test_calc.py",
    "Fix the bug in parser.py. Update README.md.": "README.md",
    "Don't forget to update CHANGELOG.md": "CHANGELOG.md",
    "Remember to edit CHANGELOG.md": "CHANGELOG.md",
    "README.mdを更新して": "README.md",
    "README.md を更新してください": "README.md",
    "README.mdを更新": "README.md",
    "「README.md」を編集してください": "README.md",
    "config.jsonファイルを変更する": "config.json",
    "README.mdに追記して": "README.md",
    "README.md に使い方を追記してください": "README.md",
    "README.mdの内容を更新してほしい": "README.md",
    "README.mdを書き換えてください": "README.md",
    "README.mdを書き直して": "README.md",
    "guide.mdを改訂すること": "guide.md",
    "README.mdとCHANGELOG.mdを更新して": "README.md CHANGELOG.md",
    "README.mdを更新し、app.pyのバグを直して": "README.md",
    "README.mdの更新をお願いします。CHANGELOG.mdを更新お願いします": "README.md CHANGELOG.md",
}
NOT_DEMANDED = (
    # Where a fault shows, or what something is about.
    "Fix the bug in parser.py",
    "Change how parser.py handles tabs",
    "Update tests for parser.py",
    "Update the references to old.md",
    # Another role.
    "use config.json as a model",
    "Create README.md",
    "Delete old.py",
    "Rename a.py to b.py",
    # Forbidden.
    "Do not update README.md",
    "Don't change config.json",
    "Never edit LICENSE",
    "Fix the bug without changing parser.py",
    "The build must not change package.json",
    "Do not rename a.py or update b.py",
    # It depends, or somebody may choose.
    "Update README.md if needed",
    "Update app.py only if necessary",
    "Update README.md with the options where appropriate",
    "If there is a new option, update README.md",
    "When you change app.py, run the tests",
    "Before you edit app.py, read README.md",
    "Update README.md or CHANGELOG.md",
    "Fix app.py or update README.md",
    "Update README.md or the wiki",
    # Something else will do it.
    "Add a script that will update README.md",
    "Write a script update.sh to update README.md",
    "Add a script to build the site and update README.md",
    "Explain how to update README.md",
    "Why does update.py change config.json?",
    "parser.pyのバグを直して",
    "app.pyの挙動を変更して",
    "config.jsonを参考にして",
    "README.mdを作成して",
    "old.pyを削除して",
    "a.pyをb.pyに変更して",
    "README.mdを変更しないで",
    "README.mdは変更しないでください",
    "README.mdを変更せずにapp.pyを直して",
    "README.mdを更新する必要はありません",
    "README.mdを更新してはいけない",
    "必要ならREADME.mdを更新して",
    "もし古ければREADME.mdを更新して",
    "README.mdを必要に応じて更新して",
    "README.mdを更新するスクリプトupdate.shを作成して",
    "README.mdを更新して、コミットするスクリプトを作って",
    "README.mdを編集する方法を説明して",
    "README.mdを更新してからテストが失敗する",
)


def demanded(instruction: str) -> list[str]:
    return [target.path for target in targets(instruction) if target.must_change]


@pytest.mark.parametrize("instruction", DEMANDED)
def test_the_object_of_a_change_has_to_change(instruction: str) -> None:
    assert demanded(instruction) == DEMANDED[instruction].split()


@pytest.mark.parametrize("instruction", NOT_DEMANDED)
def test_what_is_not_sure_is_not_demanded(instruction: str) -> None:
    assert demanded(instruction) == []


def test_a_list_that_is_none_demands_its_first_alone() -> None:
    assert demanded("Update app.py, test_app.py is done") == ["app.py"]
    assert demanded("Update app.py and test_app.py still has to pass") == ["app.py"]


def test_an_answer_demands_no_change() -> None:
    """Where only an answer is wanted, files are read."""
    assert [t.must_change for t in targets("Update README.md", answer_only=True)] == [False]


def test_a_long_instruction_is_read_in_no_time() -> None:
    long = "Update " + ", ".join(f"src/module_{n}.py" for n in range(2_000)) + " and README.md"
    assert len(demanded(long)) == 2_001
