"""Errors of evidence, locks and executors: E3xx, E4xx and E5xx."""

from pm_orchestrator.domain.catalogue.error_text import ErrorText

TRUST_ERRORS: dict[str, ErrorText] = {
    "evidence_not_collected": ErrorText(
        "E301",
        "no evidence could be written to {path}: {reason}.",
        "free disk space or correct the permissions, then run again.",
        "{path} に証跡を書き込めません: {reason}。",
        "ディスク容量または権限を確認して再実行してください。",
    ),
    "evidence_refused": ErrorText(
        "E301",
        "the disk took no evidence at {path}: {reason}; the work is neither proved nor refused.",
        "free disk space or correct the permissions, then run again; the files stay as they are.",
        "証跡 {path} を書き込めません: {reason}。作業は証明も否定もされていません。",
        "ディスク容量または権限を確認して再実行してください。ファイルはそのまま残ります。",
    ),
    "evidence_invalid": ErrorText(
        "E302",
        "evidence {evidence} is invalid: {reason}.",
        "`pm-orchestrator evidence verify` shows everything that does not fit.",
        "証跡 {evidence} は不正です: {reason}。",
        "`pm-orchestrator evidence verify` で不整合を確認できます。",
    ),
    "artifacts_missing": ErrorText(
        "E303",
        "{path} is named by evidence {evidence} but is gone.",
        "restore the file; without it the operation counts as NO_EVIDENCE.",
        "証跡 {evidence} が参照する {path} がありません。",
        "ファイルを復元してください。ない場合は NO_EVIDENCE として扱います。",
    ),
    "hash_mismatch": ErrorText(
        "E304",
        "{path} was altered after it was recorded.",
        "restore the file; what it recorded counts as NO_EVIDENCE.",
        "{path} は記録後に変更されています。",
        "ファイルを復元してください。該当の操作は NO_EVIDENCE として扱います。",
    ),
    "task_log_altered": ErrorText(
        "E304",
        "{path}, the log of task {task}, was altered after the task had ended.",
        "restore the file; what it says of the task proves nothing.",
        "タスク {task} のログ {path} は終了後に変更されています。",
        "ファイルを復元してください。このログの内容は何の証明にもなりません。",
    ),
    "task_log_gone": ErrorText(
        "E303",
        "{path}, the log of task {task}, is gone.",
        "restore the file; without it nothing tells how the task ended.",
        "タスク {task} のログ {path} がありません。",
        "ファイルを復元してください。ないとタスクの結果がわかりません。",
    ),
    "evidence_unknown_format": ErrorText(
        "E305",
        "{path} is not evidence this version can read: {reason}.",
        "use the version that wrote it; unknown formats are never trusted.",
        "{path} はこのバージョンで読める証跡ではありません: {reason}。",
        "記録したバージョンを使用してください。未知の形式は信頼しません。",
    ),
    "owner_alive": ErrorText(
        "E402",
        "{what} is held by process {holder}.",
        "wait for it, or stop that process; a living owner is never pushed aside.",
        "{what} はプロセス {holder} が保持しています。",
        "終了を待つか、そのプロセスを停止してください。",
    ),
    "semaphore_limit": ErrorText(
        "E404",
        "{actual} executors at a time were asked for; {allowed} are allowed.",
        "use a number in this range; more work waits in the queue.",
        "同時実行数 {actual} が要求されましたが、許可されるのは {allowed} です。",
        "この範囲の数を指定してください。残りの作業はキューで待機します。",
    ),
    "executor_blocked": ErrorText(
        "E503",
        "executor {executor} was blocked ({reason}) and was ended after {after_ms} ms.",
        "say in the instruction what it is to choose, or in executor.preferences in "
        ".claude/settings.json; on a terminal the prompt is put to you.",
        "Executor {executor} がブロックされ ({reason})、{after_ms} ミリ秒で終了させました。",
        "選択内容を指示か .claude/settings.json の executor.preferences に書いてください。"
        "端末では直接回答できます。",
    ),
    "executor_timed_out": ErrorText(
        "E503",
        "executor {executor} was blocked ({reason}) and was ended after {after_ms} ms.",
        "give it a smaller task, or more time: `pm-orchestrator run INSTRUCTION --solo "
        "--max-minutes 60`; timeouts.operation_timeout_seconds in .claude/settings.json is how "
        "long it may be silent, and `pm-orchestrator repl --executor-timeout 3600000 "
        "--progress-timeout 600000` sets both for a conversation, in milliseconds.",
        "Executor {executor} がブロックされ ({reason})、{after_ms} ミリ秒で終了させました。",
        "タスクを小さくするか、`pm-orchestrator run INSTRUCTION --solo --max-minutes 60` で"
        "時間を増やしてください。無応答の許容時間は .claude/settings.json の "
        "timeouts.operation_timeout_seconds です。会話では `pm-orchestrator repl "
        "--executor-timeout 3600000 --progress-timeout 600000` で両方をミリ秒で指定できます。",
    ),
    "executor_failed": ErrorText(
        "E503",
        "executor {executor} failed ({how}); what it put out is kept in {place}.",
        "`pm-orchestrator evidence show {evidence} --raw` shows it; correct what it names and run "
        "again.",
        "Executor {executor} が失敗しました ({how})。出力は {place} に保存されています。",
        "`pm-orchestrator evidence show {evidence} --raw` で出力を確認し、"
        "原因を取り除いて再実行してください。",
    ),
    "executor_login": ErrorText(
        "E503",
        "executor {executor} is not logged in, or its key is not accepted.",
        "`{login}` logs in; then give the task again.",
        "Executor {executor} がログインしていないか、キーが受け付けられませんでした。",
        "`{login}` でログインしてから、もう一度依頼してください。",
    ),
    "executor_mode_unknown": ErrorText(
        "E503",
        "PM_EXECUTOR_MODE asks for an executor that there is not.",
        "unset it; tests of recovery may set it to {known}.",
        "PM_EXECUTOR_MODE の値に対応する Executor がありません。",
        "設定を解除してください。リカバリのテストでは {known} を指定できます。",
    ),
    "executor_invalid": ErrorText(
        "E503",
        "executor {executor} cannot be used: {reason}.",
        "{cure}.",
        "Executor {executor} は使用できません: {reason}。",
        "{cure}。",
    ),
    "records_altered": ErrorText(
        "E505",
        "while an executor or gate ran, the Runner's own records or policy were altered: {what}.",
        "the result counts for nothing; `pm-orchestrator undo {task}` puts the files back, "
        "as long as the repository is still there.",
        "Executor またはゲートの実行中に Runner の記録またはポリシーが改変されました: {what}。",
        "結果は無効です。リポジトリが残っていれば "
        "`pm-orchestrator undo {task}` でファイルを元に戻せます。",
    ),
}
