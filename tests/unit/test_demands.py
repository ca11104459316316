"""What an instruction demands: each thing it makes the object of a change, and nothing else.

`+` is to be made, `!` to be changed, `-` to be gone; anything else is an effect by its kind.
"""

import pytest

from pm_orchestrator.runner.instructions.requirement import is_new, understand
from pm_orchestrator.runner.instructions.targets import targets
from pm_orchestrator.runner.instructions.words.file_roles import Role
from pm_orchestrator.runner.instructions.words.wording import sentences

DEMANDED = {
    # Made and changed, one or several.
    "Create notes.txt": "+notes.txt",
    "Create a.txt and b.txt": "+a.txt +b.txt",
    "Create a.txt, b.txt and c.txt": "+a.txt +b.txt +c.txt",
    "Add a function double to calc.py": "!calc.py",
    "Add docstrings to a.py and b.py": "!a.py !b.py",
    "Please add a usage section to README.md": "!README.md",
    "Add a test for calc.py in tests/test_calc.py": "!tests/test_calc.py",
    "Change the timeout in config.py to 30": "!config.py",
    "Rename the variable x to total in calc.py": "!calc.py",
    "Remove the function foo from a.py": "!a.py",
    "Remove the unused imports in main.py": "!main.py",
    "Update the title of docs/index.md": "!docs/index.md",
    "Refactor calc.py": "!calc.py",
    "Sort the entries in words.txt": "!words.txt",
    "Put the license text into LICENSE": "!LICENSE",
    "Write the list of modules to modules.txt": "!modules.txt",
    "README.md is outdated. Update it.": "!README.md",
    "I need a Dockerfile": "+Dockerfile",
    "Add a new file util.py with a helper": "+util.py",
    "Add comments to setup.py, but not to main.py": "!setup.py",
    "Translate README.md to Japanese in README.ja.md": "!README.ja.md",
    "Copy a.txt to b.txt": "!b.txt",
    "Split main.py into cli.py and core.py": "!cli.py !core.py",
    "Could you add a --verbose flag to cli.py?": "!cli.py",
    # A file that is named as the place, and what is done in it.
    "In app/text.py, let slugify accept a max_length argument": "!app/text.py",
    "In app.py, rename foo to bar": "!app.py",
    "Format all files except a.py and b.py": "",
    "Add type hints everywhere except in a.py and in b.py": "",
    "Format everything except a.py, then update b.py": "!b.py",
    "Use an enum for the colours in calc.py": "!calc.py",
    "In app.py, fix the crash": "",
    "Rename app.py's function get_profile to collect_profile": "!app.py",
    "Remove calc.py's unused imports": "!calc.py",
    "Copy calc.py's header to main.py": "!main.py",
    "Add calc.py's author to README.md": "!README.md",
    "Create a test for calc.py's parser": "",
    # What is to be written out is no part of what is asked.
    "Update the CHANGELOG with an entry 0.10.1: fixed typos in README": "written:CHANGELOG",
    "Add an entry to CHANGELOG.md: fixed the crash in parser.py": "!CHANGELOG.md",
    "Add a note to README.md: needs Python 3.10. Then update setup.py.": "!README.md !setup.py",
    "Commit everything with the message: fix typo in README.md": "committed:",
    "Add a comment to these files: a.py and b.py": "!a.py !b.py",
    "Note: also update main.py": "!main.py",
    "Commit a note: create notes.md and commit it": "+notes.md committed:",
    "Commit with the message: fix the links in docs/guide.md": "committed:",
    "CHANGELOGに一行追記して": "written:CHANGELOG",
    "CHANGELOGに「バグを修正」と追記して": "written:CHANGELOG",
    "CHANGELOG.mdに「README.mdの誤字を修正」と追記して": "!CHANGELOG.md",
    "CHANGELOG.mdに次の行を追加して: README.md の誤字を修正": "!CHANGELOG.md",
    "Create a branch docs/typos and fix the spelling there, if there is any": "branched:docs/typos",
    "Create a branch docs/typos if there is none yet": "",
    "Create a tag rel/1 if the tests pass": "",
    "Commit it and tag it v2 if the tests pass": "",
    "ブランチ docs/typos を作って誤字を直して": "branched:docs/typos",
    # Names of every kind.
    'Create "my notes.txt"': "+my notes.txt",
    "Create `docs/release plan.md`": "+docs/release plan.md",
    "Create 日本語.txt": "+日本語.txt",
    "Update отчёт.md": "!отчёт.md",
    "Create data.parquet": "+data.parquet",
    "Create a Makefile": "+Makefile",
    "Create .env.example": "+.env.example",
    "Create a file called CODEOWNERS": "+CODEOWNERS",
    "Update @src/app.py": "!src/app.py",
    "Edit ./src/app.py": "!src/app.py",
    "Update the README": "written:README",
    "Update the readme.": "written:README",
    "Add a license": "written:LICENSE",
    "Add an entry to the changelog": "written:CHANGELOG",
    "Write a README for this project": "written:README",
    "Create a.py and update the changelog": "+a.py written:CHANGELOG",
    # Moved and removed.
    "Rename util.py to text.py": "-util.py moved:util.py>text.py",
    "Move a.py to src/": "-a.py moved:a.py>src/a.py",
    "Move a.py into the lib directory": "-a.py moved:a.py>lib/a.py",
    "Delete old.txt": "-old.txt",
    "Delete a.py and b.py": "-a.py -b.py",
    "Remove the directory legacy/": "gone:legacy",
    "Delete the old folder `tmp data`": "gone:tmp data",
    # Directories, modes, links.
    "Create a directory src/utils": "directory:src/utils",
    "Make a folder called data": "directory:data",
    "Create run.sh and make it executable": "+run.sh executable:run.sh",
    "Make scripts/run.sh executable": "executable:scripts/run.sh",
    "chmod +x deploy.sh": "executable:deploy.sh",
    "Create a symlink latest.txt pointing to v2.txt": "linked:latest.txt|v2.txt",
    "Symlink docs/README.md to README.md": "linked:docs/README.md|README.md",
    # History.
    "Create notes.txt and commit it": "+notes.txt committed:",
    "Fix the typo in the greeting and commit the change": "committed:",
    "Commit my changes": "committed:",
    "Create a branch feature/login": "branched:feature/login",
    "Create a new branch called fix-typo and add a.txt": "branched:fix-typo !a.txt",
    "Tag the current commit as v1.2.0": "tagged:v1.2.0",
    "Create a tag v2.0": "tagged:v2.0",
    "Merge feature/login into main": "merged:feature/login",
    "Merge the branch fix-typo": "merged:fix-typo",
    # Japanese.
    "notes.txtを作成して": "+notes.txt",
    "a.txtとb.txtを作って": "+a.txt +b.txt",
    "calc.pyに関数doubleを追加して": "!calc.py",
    "tests/test_calc.pyにテストを追加してください": "!tests/test_calc.py",
    "「議事録 2024.md」を作成して": "+議事録 2024.md",
    "設計.mdを更新して": "!設計.md",
    "docs/設計.mdに概要を追記して": "!docs/設計.md",
    "プロジェクトのルートにメモ.txtを作って": "+メモ.txt",
    "readmeを作って": "written:README",
    "READMEを更新してください": "written:README",
    "変更履歴に追記して": "written:CHANGELOG",
    "util.pyをtext.pyにリネームして": "-util.py moved:util.py>text.py",
    "old.txtを削除して": "-old.txt",
    "legacyディレクトリを削除して": "gone:legacy",
    "dataディレクトリを作成して": "directory:data",
    "run.shに実行権限を付けて": "executable:run.sh",
    "run.shを実行可能にして": "executable:run.sh",
    "notes.txtを作成してコミットして": "+notes.txt committed:",
    "変更をコミットしてください": "committed:",
    "feature/loginブランチを作成して": "branched:feature/login",
    "v1.2.0のタグを付けて": "tagged:v1.2.0",
    "feature/loginをmainにマージして": "merged:feature/login",
    "README.mdとCHANGELOG.mdを更新してコミットしてください": "!README.md !CHANGELOG.md committed:",
    "config.jsonのポートを8080に変更して": "!config.json",
    "main.pyをcli.pyとcore.pyに分割して": "!cli.py !core.py",
    "old.pyとそのテストを削除して": "-old.py",
    "calc.pyをsrcディレクトリに移動して": "-calc.py moved:calc.py>src/calc.py",
    "docs/a.md を docs/b.md に改名して": "-docs/a.md moved:docs/a.md>docs/b.md",
    "docs/a.md を old/ に移動して": "-docs/a.md moved:docs/a.md>old/a.md",
    "関数 run を start に改名して": "",
    "Dockerfileを追加してください": "!Dockerfile",
    "CONTRIBUTINGを追加して": "written:CONTRIBUTING",
    "hello.pyを作って、実行権限も付けてください": "+hello.py executable:hello.py",
    "フォルダtestdataを作ってください": "directory:testdata",
    "fix/typoというブランチを作成し、誤字を直してコミットして": "branched:fix/typo committed:",
    "main.pyには触らず、util.pyにヘルパーを追加して": "!util.py",
    "In calc.py, add a function sub": "!calc.py",
    "calc.py: add a function sub": "!calc.py",
    "Write backup.sh that copies data.db to b.db and make it executable": (
        "+backup.sh executable:backup.sh"
    ),
    "Move the helper functions from utils.py to helpers.py": "!utils.py !helpers.py",
    "Replace config.json with config.yaml": "-config.json !config.yaml",
    "Replace README.md with a better one": "!README.md",
    "Generate docs/api.md from the docstrings in calc.py": "+docs/api.md",
    'Create a new directory called "test data"': "directory:test data",
    'Fix the typo in the title and commit with message "fix a.py"': "committed:fix a.py",
    "Tag this release v1.0.0": "tagged:v1.0.0",
    "v2.txtへのシンボリックリンクlatest.txtを作成して": "linked:v2.txt|latest.txt",
    # How the clauses hang together.
    "In calc.py add a function sub": "!calc.py",
    "Do not edit a.py but b.py": "!b.py",
    "Update setup.py for lint and format": "!setup.py",
    "Update config.py with that value": "!config.py",
    "Update a.py. See a.py for the old value.": "!a.py",
    "Rename the function run to start in app.py": "!app.py",
    "Add --dry-run to app.py but leave main.py as it is": "!app.py",
    "Update the link to b.md in a.md": "!a.md",
    "Use a set in index.py": "!index.py",
    "Update a.py, following the style of b.py": "!a.py",
    "Update the following files: a.py and b.py": "!a.py !b.py",
    "Create util.py and use it in main.py": "+util.py !main.py",
    "old.py is not needed any more, delete it": "-old.py",
    "a.py repeats the tests; delete that file": "-a.py",
    "I need to re-order the entries; update a.txt": "!a.txt",
    "If the tests pass, update the version. Update a.py": "!a.py",
    "Create an executable script run.sh": "+run.sh executable:run.sh",
    "chmod +x a.sh b.sh": "executable:a.sh executable:b.sh",
    "mkdir -p data/raw data/clean": "directory:data/raw directory:data/clean",
    "Make CLAUDE.md a symlink to README.md": "linked:CLAUDE.md|README.md",
    "calc.pyに平均を計算する関数を追加して": "!calc.py",
    "package.jsonにapp.pyを起動するスクリプトを追加して": "!package.json",
    "READMEにPython 3.12が必要だと書いて": "written:README",
    "main.pyからデバッグ用のprintを削除して": "!main.py",
    "old.shはもう不要なので削除してください": "-old.sh",
    "stamp.shはもう使わないので、テストと一緒に削除してください": "-stamp.sh",
    "move a.css -> css/b.css": "-a.css moved:a.css>css/b.css",
    "Remove the section on old.py from guide.md": "!guide.md",
    "guide.mdからold.pyの節を削除して": "!guide.md",
    "Create src/models and src/views directories": "directory:src/models directory:src/views",
    "a.mdのファイル名をb.mdに変更して": "-a.md moved:a.md>b.md",
    "rawとcleanのディレクトリを作成して": "directory:raw directory:clean",
    "build.shをtools/に移動して": "-build.sh moved:build.sh>tools/build.sh",
    "上のメモから「設計 1.md」を作成して": "+設計 1.md",
}
MENTIONED = (
    # A place where a fault shows, and not the thing to be changed.
    "Fix the bug in parser.py",
    "parser.py crashes on empty input",
    "Debug the failure in tests/test_a.py",
    # Arguments and models.
    "Fix the crash when I run python app.py data.csv",
    "Fix the crash when run with `python app.py --in data.csv`",
    "Add a parser in the style of foo.py",
    "Write a formatter like black.py does it",
    "Use the same layout as in index.html",
    "Add support for files such as sample.json",
    "Add a loader, e.g. for settings.toml",
    # Files that will be there at run time.
    "Add an export command; it should write out.csv when run",
    "Add an export command that writes results to report.json",
    "Write a tool which reads in.csv and writes out.csv",
    "The program should save its state to state.json",
    "Make the app print a warning if config.yml is missing",
    "Let the server log to server.log and rotate it to server.1.log",
    "Change the default output file to out.csv",
    "Set the log file to app.log",
    "Change the path from data.csv to input.csv everywhere",
    # Forbidden, or left to whoever works.
    "Add logging, but not in main.py",
    "Improve the parser without touching main.py",
    "Add tests; leave conftest.py alone",
    "Do not commit anything, just fix the parser",
    "Fix the parser and don't create a branch",
    "Update README.md if needed",
    "If it helps, split main.py into two",
    # What was pasted.
    "Fix this:\n```\nTraceback: open('config.json')\ncreate b.py\n```",
    'Fix the crash:\nTraceback (most recent call last):\n  File "app.py", line 3, in main\n'
    "FileNotFoundError: data.json",
    "Fix the error.\n\nSteps to reproduce:\n1. Create a.txt\n2. Delete b.txt\n",
    "Handle this:\n> please delete old.py\n> and create new.py",
    'Fix the message "could not update config.json"',
    "Make the tests pass:\nFAILED tests/test_a.py::test_b - AssertionError\nE   assert 1 == 2",
    "It says:\n2024-01-01 12:00:00 ERROR wrote out.csv\nFix the exporter",
    "Fix the parser, see https://example.com/docs/update/README.md",
    "Implement the interface in pkg.module.loader",
    "Replace os.path with pathlib",
    "Call user.save after the form was sent",
    # Words that are no history and no files here.
    "Merge the two parsers into one",
    "Merge the dictionaries before printing",
    "Improve the commit message template of the tool",
    "Add a pre-commit check for tabs",
    "Show a tag next to each product",
    "Add tags to the article model",
    "Add a branch to the decision tree",
    "Let users create branches of a conversation",
    "Improve the license check in the importer",
    "Add a readme parser",
    "Show the change history on the order page",
    "Link the button to the settings page",
    "Fix the crash when a directory is missing",
    "Make the importer skip directories called tmp",
    "Handle scripts that are not executable",
    # How the clauses hang together.
    "Login crashes in parser.py",
    "Add a tool to read in.csv and write out.csv",
    "If the cache is cold, warm it in parser.py",
    "If a.py is slow, it should cache in b.py",
    "a.py has an unused import, remove it",
    "a.py repeats b.py; delete that file",
    "Use the parser in parser.py to read the settings",
    "Use the same names as we have in index.html",
    "Create docs/api pages",
    "Create a directory structure for the docs",
    "Make folders sortable by name",
    "Make it executable",
    "Add a second license file LICENSE-MIT",
    "Set `mode=a.py` in the call",
    "Improve the `node.js` setup",
    "Change the ratio to 1/2",
    'Add the rule and explain it with "…"',
    # Japanese.
    "実行権限を付けて",
    "テストが通ったらコミットして",
    "out.csvに結果を書き出す機能を追加して",
    "a.pyの関数runをstartに改名して",
    "config.jsonからキーを削除する関数を追加して",
    "出力ファイル名をout.csvからresult.csvに変更して",
    "デフォルトの出力先をout.csvに変更して",
    "a.pyかb.pyに関数を追加して",
    "設定をsettings.iniから読み込むように変更して",
    "parser.pyのバグを直して",
    "config.jsonを読み込む関数を実装して",
    "実行するとout.csvに書き出すコマンドを実装して",
    "結果をreport.jsonに出力するようにして",
    "foo.pyを参考にパーサーを実装して",
    "main.pyは変更せずにログを追加して",
    "ログ出力を追加して。ただしmain.pyではなく別の場所に",
    "「config.jsonが見つかりません」というエラーを直して",
    "次のエラーを直して\n```\nFileNotFoundError: data.json\n```",
    "再現手順:\n1. a.txtを作成する\n2. b.txtを削除する\n\nこの不具合を直して",
    "必要ならREADME.mdを更新して",
    "コミットはしないで、バグだけ直して",
    "コミットするスクリプトを実装して",
    "2つの関数をマージする処理を実装して",
    "タグを表示する機能を追加して",
    "変更履歴を表示する画面を追加して",
    "ブランチ予測のロジックを改善して",
    "ディレクトリが無いときのエラーを修正して",
)


def demands(instruction: str) -> str:
    found = understand(instruction, "task-1")
    made = {t.path for t in found.targets if t.role is Role.CREATE}
    files = [f"+{path}" for path in found.expected_files if path in made]
    files += [f"!{path}" for path in found.files_to_change if path not in made]
    files += [f"-{path}" for path in found.files_to_go]
    for effect in found.effects:
        name = f"{effect.source}>{effect.name}" if effect.source else effect.name
        files.append(f"{effect.kind}:{name}")
    return " ".join(sorted(files))


@pytest.mark.parametrize("instruction", DEMANDED)
def test_the_object_of_a_change_is_demanded(instruction: str) -> None:
    assert sorted(demands(instruction).split()) == sorted(DEMANDED[instruction].split())


@pytest.mark.parametrize("instruction", MENTIONED)
def test_what_is_only_mentioned_is_not(instruction: str) -> None:
    assert demands(instruction) == ""


@pytest.mark.parametrize("instruction", MENTIONED)
def test_what_is_only_mentioned_need_not_be_there(instruction: str) -> None:
    there = {"parser.py", "tests/test_a.py", "README.md", "a.py", "b.py"}
    assert set(understand(instruction, "task-1").expected_files) <= there


@pytest.mark.parametrize(
    ("instruction", "path", "role"),
    [
        ("Link index.md to docs/new.md", "index.md", Role.CHANGE),
        ("Link index.md to docs/new.md", "docs/new.md", Role.SOURCE),
        ("Add vendor/lib as a git submodule", "vendor/lib", Role.SOURCE),
        ("Add vendor/lib.py as a helper", "vendor/lib.py", Role.CHANGE),
    ],
)
def test_what_is_meant_with_a_path(instruction: str, path: str, role: Role) -> None:
    """Where the link stands is changed; a repository that is brought along is somewhere else."""
    assert [found.role for found in targets(instruction) if found.path == path] == [role]


def test_a_dot_of_an_abbreviation_ends_no_sentence() -> None:
    said = sentences("Use a linter, e.g. ruff, in ci. Then stop.")
    assert said == ["Use a linter, e.g ruff, in ci.", "Then stop."]
    assert len(sentences("Do this. Do that.")) == 2


@pytest.mark.parametrize(
    ("instruction", "made"),
    [
        ("Create a.py and b.py next to it", {"a.py": True, "b.py": True}),
        ("Create src/a.py and b.py next to it", {"src/a.py": False, "src/b.py": False}),
        ("Create notes.txt", {"notes.txt": True}),
        ("Update notes.txt", {"notes.txt": False}),
    ],
)
def test_what_is_made_by_the_name_that_it_is_given(instruction: str, made: dict[str, bool]) -> None:
    """A file lies beside another where that one has a folder; with a folder it is a place."""
    assert {target.path: is_new(target) for target in targets(instruction)} == made
