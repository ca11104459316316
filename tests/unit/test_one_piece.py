"""What is plainly one piece of work, and what a manager has to look at."""

import pytest

from pm_orchestrator.runner.instructions.one_piece import MOST_CHARACTERS, is_one_piece
from pm_orchestrator.runner.instructions.requirement import understand

ONE = (
    # One file, with its tests and pages.
    "Create hello.py",
    "Fix the bug in parser.py",
    "Fix the typo in README.md",
    "Update README.md",
    "Create slug.py with its tests in test_slug.py",
    "Create slug.py with login, logout, password reset and a REST API",
    "Create slug.py, add tests and write documentation",
    "Create hello.py and make it print hello",
    "Update calc.py: add subtract and multiply",
    "Add a function to calc.py and a test in tests/test_calc.py, and mention it in README.md",
    "Fix the bug in parser.py. It happens with tabs. Do not change lexer.py",
    "Read a.py, b.py and c.py, then fix the bug in d.py",
    "- Create hello.py",
    # Files that only go or move.
    "Delete old.py",
    "Delete a.py, b.py and c.py",
    "Rename a.py to b.py",
    "Move lib/a.py to src/a.py and update README.md",
    # An answer, or a run of the project's own checks.
    "What does parser.py do?",
    "Explain app.py and parser.py and lexer.py",
    "Explain in detail: " + "why? " * MOST_CHARACTERS,
    "Summarize the changes of the last week",
    "Run the tests",
    "hello.pyを作成して",
    "README.mdを更新して",
    "parser.pyのバグを直して",
    "calc.pyに関数を追加し、tests/test_calc.pyにテストを追加して",
    "slug.pyを作成し、テストも追加して",
    "old.pyを削除して",
    "a.pyをb.pyに移動して",
    "parser.pyの仕組みを説明して",
    "テストを実行して",
)
TO_BE_LOOKED_AT = (
    # Several products.
    "Create slug.py and words.py",
    "Create slug.py, words.py and roman.py, each with tests",
    "Create slug.py with tests in test_slug.py and words.py with tests in test_words.py",
    # Nobody knows where, or how much.
    "Build a blog",
    "Add login, logout and password reset",
    "Improve the performance",
    "Fix all failing tests",
    "Refactor the code base",
    # One file is named, and it is not all.
    "Create slug.py, then add a word counter and a roman numeral converter",
    "Create models.py. Then build a web interface for it",
    "Delete old.py and build a new login system",
    "Rename a.py to b.py and add a login page",
    "Add a search feature and a login feature, update README.md",
    "Implement three modules: slug, words and roman. Update README.md",
    "Create a slug maker, a word counter and a converter, and list them in README.md",
    # It lists its parts itself, or takes long to say.
    "Create the following:\n- a slug maker in slug.py\n- a word counter in slug.py",
    "1. Create a.py\n2. Add tests\n3. Write docs",
    "Create a.py. It has one function. The function adds. It never fails.",
    "Create a.py " + "x" * MOST_CHARACTERS,
    "slug.pyとwords.pyを作成して",
    "ブログを作って",
    "ログイン機能とログアウト機能を追加して",
    "リファクタリングして",
    "old.pyを削除して、新しいログイン機能を作って",
    "検索機能とログイン機能を追加し、README.mdを更新して",
    "次のことをして:\n・slug.pyを直す\n・表示を速くする",
    "次のことをして:\n1、slug.pyを直す\n2、表示を速くする",
    "次のことをして:\n①slug.pyを直す\n②表示を速くする",
)


@pytest.mark.parametrize("instruction", ONE)
def test_nobody_needs_to_be_asked(instruction: str) -> None:
    assert is_one_piece(understand(instruction, "task-1"))


@pytest.mark.parametrize("instruction", TO_BE_LOOKED_AT)
def test_a_manager_has_to_look(instruction: str) -> None:
    assert not is_one_piece(understand(instruction, "task-1"))
