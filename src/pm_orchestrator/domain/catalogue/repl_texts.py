"""What the REPL says: help lines, prompts and hints."""

from functools import cache

from pm_orchestrator.domain.text import Lang, Sentence

OWN_TEXTS: dict[str, Sentence] = {
    "help_help": Sentence("Show this help", "このヘルプを表示"),
    "help_logs": Sentence("View task logs", "タスクログを閲覧"),
    "help_start": Sentence("Start new session", "新規セッション開始"),
    "help_continue": Sentence("Continue existing session", "既存セッション継続"),
    "help_new": Sentence("Begin a new conversation", "新しい会話を始める"),
    "new_conversation": Sentence(
        "The next line begins a new conversation; the session stays.",
        "次の行から新しい会話を始めます。セッションはそのままです。",
    ),
    "help_status": Sentence("Show session status", "セッション状態確認"),
    "help_tasks": Sentence("List tasks", "タスク一覧表示"),
    "help_approve": Sentence("Approve continuation", "継続承認"),
    "help_reply": Sentence("Answer a task, or say what it still needs", "質問に回答・追加の指示"),
    "help_accept": Sentence("Settle what keeps a task incomplete", "未完了の理由を承認"),
    "help_undo": Sentence("Put the files back as before a task", "タスク前の状態に戻す"),
    "help_diff": Sentence("Show what a task changed", "タスクの変更を表示"),
    "help_init": Sentence("Initialize .claude/ structure", ".claude/ の雛形を生成"),
    "help_limits": Sentence("Show or raise what a task may do", "タスクの上限を表示・変更"),
    "limits_now": Sentence(
        "A task may change {files} {files|file|files} and {tests} {tests|test|tests}, "
        "and take {minutes} {minutes|minute|minutes}.",
        "1 タスクの上限: 変更 {files} ファイル、テスト {tests} 件、{minutes} 分。",
    ),
    "limits_of_settings": Sentence(
        "This is what the settings say.", "設定 (settings.json) の値です。"
    ),
    "limits_of_conversation": Sentence(
        "This holds until you leave, or until /limits reset.",
        "終了するか /limits reset を入力するまで有効です。",
    ),
    "limits_how": Sentence(
        "/limits files 40 minutes 60 allows the next tasks more.",
        "/limits files 40 minutes 60 のように次のタスクから変更できます。",
    ),
    "help_watch": Sentence("Follow a task until it ends", "タスクを終了まで追跡"),
    "help_runs": Sentence("List runs with their status", "実行一覧と状態を表示"),
    "help_exit": Sentence("Exit REPL", "REPL 終了"),
    "help_title": Sentence("Available commands:", "利用可能なコマンド:"),
    "help_state": Sentence("Current state:", "現在の状態:"),
    "none": Sentence("none", "なし"),
    "root_ignored_cwd": Sentence(
        "WARNING: --project-root is ignored in cwd mode",
        "WARNING: --project-root は cwd モードでは無視されます",
    ),
    "root_ignored_temp": Sentence(
        "WARNING: --project-root is ignored in temp mode",
        "WARNING: --project-root は temp モードでは無視されます",
    ),
    "temp_is_volatile": Sentence(
        "NOTICE: this directory is temporary and may vanish; use --project-mode fixed to keep it",
        "NOTICE: 一時ディレクトリは揮発性です。残すには --project-mode fixed を使ってください",
    ),
    "initialised": Sentence(
        "NOTICE: {path} was initialised as /init does",
        "NOTICE: {path} を /init と同様に初期化しました",
    ),
    "waits_for_input": Sentence(
        "NOTICE: end of input; waiting for more (Ctrl-C ends)",
        "NOTICE: 入力の終わりです。追加の入力を待っています (Ctrl-C で終了)",
    ),
    "goodbye": Sentence("Goodbye.", "終了します。"),
    # the summary of a task
    "next_more": Sentence("type the next task", "続けてタスクを入力"),
    "next_logs": Sentence(
        "`pm-orchestrator logs {task}` shows the details",
        "`pm-orchestrator logs {task}` で詳細確認",
    ),
    "next_full_logs": Sentence(
        "`pm-orchestrator logs {task} --full` shows what went wrong",
        "`pm-orchestrator logs {task} --full` でエラー詳細確認",
    ),
    "next_accept": Sentence(
        "`pm-orchestrator accept {task}` takes it as it is; "
        "`pm-orchestrator logs {task}` shows the details",
        "`pm-orchestrator accept {task}` で承認、`pm-orchestrator logs {task}` で詳細確認",
    ),
    "result_accepted": Sentence("COMPLETE (accepted)", "COMPLETE（承認済み）"),
    "next_reply": Sentence(
        "`pm-orchestrator reply {task} ANSWER` goes on",
        "`pm-orchestrator reply {task} 回答` で続行",
    ),
    "hint_logs": Sentence(
        "`pm-orchestrator logs {task}` shows what was done",
        "`pm-orchestrator logs {task}` で実行ログを確認できます",
    ),
    "why_unproved": Sentence(
        "the Runner has no proof that the task is done",
        "タスクの完了を示す証拠がありません",
    ),
    "why_asked": Sentence("an answer is needed to go on", "続行には回答が必要です"),
}


def tell(key: str, lang: Lang, **params: object) -> str:
    """The sentence under `key` with its places filled."""
    return (OWN_TEXTS.get(key) or all_texts()[key]).say(lang, **params)


@cache
def all_texts() -> dict[str, Sentence]:
    """Those that only some pages need as well."""
    from pm_orchestrator.domain.catalogue.arrival_texts import ARRIVAL_TEXTS
    from pm_orchestrator.domain.catalogue.end_texts import END_TEXTS
    from pm_orchestrator.domain.catalogue.provider_texts import PROVIDER_TEXTS
    from pm_orchestrator.domain.catalogue.terminal_texts import TERMINAL_TEXTS

    return {**OWN_TEXTS, **ARRIVAL_TEXTS, **PROVIDER_TEXTS, **TERMINAL_TEXTS, **END_TEXTS}
