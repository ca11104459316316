"""Files that an instruction names, and what becomes of them."""

import pytest

from pm_orchestrator.runner.instructions.file_names import files_named
from pm_orchestrator.runner.instructions.requirement import understand
from pm_orchestrator.runner.instructions.targets import targets
from pm_orchestrator.runner.instructions.words.file_roles import Role

LETTERS = {"+": Role.CREATE, "~": Role.CHANGE, "-": Role.REMOVE, "?": Role.SOURCE}


@pytest.mark.parametrize(
    ("instruction", "files"),
    [
        ("Create README.md and src/app/main.py", ("README.md", "src/app/main.py")),
        ("README.mdを作成して", ("README.md",)),
        ("Bump to version 1.2.3", ()),
        ("Support e.g. dates", ()),
        ("Add a Node.js server for example.com", ()),
        ("Add server.js and vitest.config.ts", ("server.js", "vitest.config.ts")),
        ("See /etc/hosts.txt", ()),
        ("src/日本.py は対象外", ("src/日本.py",)),
        ("Read README.md, then README.md again", ("README.md",)),
        ("Remove console.log and process.env", ()),
        ("Edit ./src/a.py", ("src/a.py",)),
        (
            "Add dist to .gitignore and .github/workflows/ci.yml",
            (".gitignore", ".github/workflows/ci.yml"),
        ),
        ("Fix the Dockerfile", ("Dockerfile",)),
        ("Fetch https://example.com/a.json", ()),
    ],
)
def test_files_that_are_named(instruction: str, files: tuple[str, ...]) -> None:
    assert files_named(instruction) == files


@pytest.mark.parametrize(
    ("instruction", "roles"),
    [
        ("Create a README.md and src/app/main.py", "+README.md +src/app/main.py"),
        ("Create a hello world script hello.py", "+hello.py"),
        ("Create a function parse in a.py", "~a.py"),
        ("Create a.txt based on template.txt", "+a.txt ?template.txt"),
        ("Create a copy of a.py as b.py", "?a.py ~b.py"),
        ("Write tests for a.py in tests/test_a.py", "?a.py ~tests/test_a.py"),
        ("write the result to out.csv", "~out.csv"),
        ("Add a.md with two hints, and link to it from b.md", "~a.md ~b.md"),
        ("Add a link to a.md in b.md", "?a.md ~b.md"),
        ("make test should also write a report to build/junit.xml", "?build/junit.xml"),
        ("make test should run the examples in README.md as well", "?README.md"),
        ("make README.md shorter, it should fit on a page", "~README.md"),
        ("Delete a.py and create b.py", "-a.py +b.py"),
        ("Delete a.py and b.py", "-a.py -b.py"),
        ("Delete old.txt. Then update index.md", "-old.txt ~index.md"),
        ("Rename util.py to text.py", "-util.py ~text.py"),
        ("Move a.py and b.py to src/c.py", "-a.py -b.py ~src/c.py"),
        ("Replace config.json with config.yaml", "-config.json ~config.yaml"),
        ("Remove the unused import in main.py", "~main.py"),
        ("Remove the function foo from a.py", "~a.py"),
        ("Remove references to old.py in main.py", "?old.py ~main.py"),
        ("Copy a.py to b.py", "?a.py ~b.py"),
        ("Add src/Dockerfile and a .dockerignore next to it", "~src/Dockerfile ~src/.dockerignore"),
        ("Add src/Dockerfile and a .dockerignore", "~src/Dockerfile ~.dockerignore"),
        ("a.py can go if it is not needed", "?a.py"),
        ("a.py has to go", "-a.py"),
        ("Split main.py into cli.py and core.py", "?main.py ~cli.py ~core.py"),
        ("Extract the helper from a.py into b.py", "?a.py ~b.py"),
        ("Fix a.py but do not touch b.py", "~a.py ?b.py"),
        ("Fix a.py but do not update b.py", "~a.py ?b.py"),
        ("Update a.py to match b.py", "~a.py ?b.py"),
        ("Fix the header of README.md", "~README.md"),
        ("See a.py. Fix a.py", "~a.py"),
        ("README.mdを作成してください", "+README.md"),
        ("a.pyを削除して", "-a.py"),
        ("a.pyとb.pyを削除して", "-a.py -b.py"),
        ("util.pyをtext.pyにリネームして", "-util.py ~text.py"),
        ("a.pyを参考にb.pyを作成して", "?a.py +b.py"),
        ("a.pyの関数fooを削除して", "~a.py"),
        ("main.pyをcli.pyとcore.pyに分割して", "?main.py ~cli.py ~core.py"),
        ("index.htmlとstyle.cssを作成", "+index.html +style.css"),
        ("a.pyは変更しないで、b.pyを修正して", "?a.py ~b.py"),
    ],
)
def test_roles_of_files(instruction: str, roles: str) -> None:
    wanted = [(mark[1:], LETTERS[mark[0]]) for mark in roles.split()]
    assert [(t.path, t.role) for t in targets(instruction)] == wanted


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("Explain the bug in a.py", ()),
        ("Compare a.py to b.py", ()),
        ("Explain how to add a line to a.py", ()),
        ("Summarize the changes in CHANGELOG.md", ()),
        ("src/auth.pyを説明してください", ()),
        ("Write a summary of the public API to docs/summary.md", ("docs/summary.md",)),
        ("Summarize the design and save it as design.md", ("design.md",)),
        ("調査結果をreport.mdにまとめてください", ("report.md",)),
    ],
)
def test_files_of_an_answer_are_read_unless_it_is_put_into_one(
    instruction: str, expected: tuple[str, ...]
) -> None:
    requirement = understand(instruction, "task-1")
    assert requirement.expected_files == expected
    assert requirement.wants_answer is (expected == ())


@pytest.mark.parametrize(
    ("instruction", "empty"),
    [
        ("Create an empty file notes.txt", ("notes.txt",)),
        ("Create empty files a.txt and b.txt", ("a.txt", "b.txt")),
        ("Create an empty a.txt and a README.md", ("a.txt",)),
        ("touch notes.txt", ("notes.txt",)),
        ("Create notes.txt (empty)", ("notes.txt",)),
        ("Create an empty 2 GB disk image disk.img", ("disk.img",)),
        ("空のファイル a.txt を作成して", ("a.txt",)),
        ("a.txtという名前の空のファイルを作成して", ("a.txt",)),
        ("Create notes.txt", ()),
        ("Fix the crash when config.json is empty", ()),
        ("Create a non-empty notes.txt", ()),
        ("Create notes.txt, it must not be empty", ()),
        ("Fix a.py and do not touch b.py", ()),
    ],
)
def test_empty_files_must_be_asked_for(instruction: str, empty: tuple[str, ...]) -> None:
    assert understand(instruction, "task-1").may_be_empty == empty
