"""Errors of the REPL's own commands: E2xx."""

from pm_orchestrator.domain.catalogue.error_text import ErrorText

REPL_ERRORS: dict[str, ErrorText] = {
    "needs_terminal": ErrorText(
        "E210",
        "a selection with the arrow keys needs a terminal.",
        "name what you want: `{command}`.",
        "矢印キーによる選択には端末が必要です。",
        "引数で指定してください: `{command}`",
    ),
    "slash_usage": ErrorText(
        "E210",
        "{command} needs an argument.",
        "write `{usage}`.",
        "{command} には引数が必要です。",
        "使い方: `{usage}`",
    ),
    "no_claude_dir_repl": ErrorText(
        "E101",
        "{path} is no project yet.",
        "type /init.",
        "{path} はまだプロジェクトではありません。",
        "/init を入力してください。",
    ),
    "no_current_directory": ErrorText(
        "E102",
        "the current directory does not exist.",
        "change to a directory that does, or name one with --project.",
        "カレントディレクトリが存在しません。",
        "存在するディレクトリに移動するか、--project で指定してください。",
    ),
    "root_missing": ErrorText(
        "E102",
        "the project root does not exist: {path}.",
        "make the directory first; fixed mode never creates it.",
        "指定されたプロジェクトルートが存在しません: {path}",
        "先にディレクトリを作成してください。fixed モードでは自動作成しません。",
    ),
    "root_relative": ErrorText(
        "E102",
        "the project root must be an absolute path: {path}.",
        "give the whole path, beginning with /.",
        "プロジェクトルートは絶対パスで指定してください: {path}",
        "/ から始まるパスを指定してください。",
    ),
    "root_required": ErrorText(
        "E210",
        "fixed mode needs --project-root.",
        "add `--project-root /path/to/dir`.",
        "fixed モードでは --project-root が必須です。",
        "`--project-root /path/to/dir` を追加してください。",
    ),
    "project_and_mode": ErrorText(
        "E210",
        "--project cannot be used with --project-mode {mode}.",
        "leave one of them out; fixed mode takes --project-root.",
        "--project は --project-mode {mode} と同時に使えません。",
        "どちらかを外してください。fixed モードでは --project-root を使います。",
    ),
    "nothing_to_watch": ErrorText(
        "E210",
        "there is nothing to watch: no task has begun yet.",
        "begin one, e.g. with `pm-orchestrator run`.",
        "追跡できるものがありません。まだタスクは開始されていません。",
        "`pm-orchestrator run` などでタスクを開始してください。",
    ),
    "slash_no_argument": ErrorText(
        "E210",
        "{command} takes no argument.",
        "write `{command}` alone.",
        "{command} は引数を取りません。",
        "`{command}` だけを入力してください。",
    ),
    "line_too_long": ErrorText(
        "E210",
        "a line is longer than {limit} bytes.",
        "put the text into a file of the project and name that file.",
        "1 行が {limit} バイトを超えています。",
        "内容をプロジェクト内のファイルに保存し、そのファイル名を指定してください。",
    ),
    "line_not_text": ErrorText(
        "E210",
        "the line is no plain text: {reason}.",
        "write it in UTF-8, without control characters.",
        "この行はテキストではありません: {reason}",
        "制御文字を含まない UTF-8 で入力してください。",
    ),
    "logs_usage": ErrorText(
        "E210",
        "/logs does not know {what}.",
        "write `/logs [task-id] [--full|--tree|--json]`.",
        "/logs では {what} を使えません。",
        "使い方: `/logs [task-id] [--full|--tree|--json]`",
    ),
}
