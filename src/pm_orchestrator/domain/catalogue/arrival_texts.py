"""What a person is told on arriving at the terminal, and where they meant something else."""

from pm_orchestrator.domain.text import Sentence

ARRIVAL_TEXTS: dict[str, Sentence] = {
    "arrival_project": Sentence("Project", "プロジェクト"),
    "arrival_executor": Sentence("Executor", "Executor"),
    "arrival_checks": Sentence("Checks", "チェック"),
    "arrival_git": Sentence("git, branch {branch}", "git、ブランチ {branch}"),
    "arrival_no_git": Sentence("no git repository", "git リポジトリなし"),
    "arrival_logged_in": Sentence("logged in", "ログイン済み"),
    "arrival_no_login": Sentence(
        "not logged in: `{login}` does that", "未ログイン: `{login}` でログイン"
    ),
    "arrival_no_checks": Sentence(
        "none found: results rest on the files alone",
        "見つかりません（結果はファイルのみで判断します）",
    ),
    "arrival_not_yet": Sentence(
        "Not set up here yet: the first instruction asks, and one yes does it.",
        "まだ初期設定されていません。最初の依頼のときに確認し、「はい」だけで設定します。",
    ),
    "arrival_how": Sentence(
        "Type what you want done. @ names a file, ! runs a command, /help lists the rest.",
        "依頼を入力してください。@ でファイル指定、! でシェルコマンド、/help でコマンド一覧。",
    ),
    "set_up": Sentence(
        "Set up {path} for this? It adds {names}; what is there stays as it is, and git does not "
        "see our records.",
        "{path} を初期設定しますか？ {names} を追加します。既存のファイルはそのままで、"
        "記録は git の対象外です。",
    ),
    "set_up_settings": Sentence(
        "our blocks at the end of .claude/settings.json", ".claude/settings.json 末尾の設定"
    ),
    "set_up_top": Sentence("in the whole repository, {path}", "リポジトリ全体: {path}"),
    "set_up_here": Sentence("only in {path}", "このディレクトリのみ: {path}"),
    "set_up_no": Sentence("nothing is added, and nobody starts", "何も追加せず、開始もしません"),
    "set_up_done": Sentence("Set up: {path}/.claude", "初期設定しました: {path}/.claude"),
    "set_up_home": Sentence(
        "This is your home directory; its .claude holds your settings for all projects. "
        "Change into a project and start there.",
        "ここはホームディレクトリで、.claude は全プロジェクト共通の設定です。"
        "プロジェクトのディレクトリに移動して起動してください。",
    ),
    # lines that are no instruction
    "small_talk": Sentence(
        "Nothing to do in that, so nobody was started. Type what is to be done next.",
        "依頼ではないため、何も開始していません。次の依頼を入力してください。",
    ),
    "meant_command": Sentence(
        "/{command} is a command here; Enter carries it out.",
        "/{command} はコマンドです。Enter で実行します。",
    ),
    "meant_shell": Sentence(
        "`{line}` is for a shell; with ! it runs here, and Enter does that.",
        "`{line}` はシェルのコマンドです。! を付けるとここで実行でき、Enter で実行します。",
    ),
    "of_the_shell": Sentence(
        "Work goes on in {path}, and each ! command begins there; to work elsewhere, start there.",
        "作業場所は {path} です（! コマンドも毎回ここから始まります）。"
        "他の場所で作業するには、そこで起動してください。",
    ),
    "shell_failed": Sentence("(exit code {code})", "(終了コード {code})"),
    "asks_you": Sentence(
        "Your next line answers: {question}", "次の行がこの質問への回答になります: {question}"
    ),
    "queued_line": Sentence("next: {line}", "次: {line}"),
    "queued_keys": Sentence("↑ takes it back", "↑ で取り消し"),
}
