"""Errors of the command line's own arguments: E102 and E210."""

from pm_orchestrator.domain.catalogue.error_text import ErrorText

ARGUMENT_ERRORS: dict[str, ErrorText] = {
    "project_missing": ErrorText(
        "E102",
        "{path} cannot be the project: it does not exist.",
        "make the directory, or name another one with --project.",
        "{path} をプロジェクトにできません: 存在しません。",
        "ディレクトリを作成するか、--project で別の場所を指定してください。",
    ),
    "project_no_directory": ErrorText(
        "E102",
        "{path} cannot be the project: it is not a directory.",
        "name a directory with --project.",
        "{path} をプロジェクトにできません: ディレクトリではありません。",
        "--project でディレクトリを指定してください。",
    ),
    "project_read_only": ErrorText(
        "E102",
        "{path} cannot be the project: it cannot be written to.",
        "see to its owner and permissions, or name another directory with --project.",
        "{path} をプロジェクトにできません: 書き込めません。",
        "所有者と権限を確認するか、--project で別の場所を指定してください。",
    ),
    "project_named_secret": ErrorText(
        "E102",
        "{path} cannot be the project: its path holds what looks like a key.",
        "give the directory another name; every record of a task names it.",
        "{path} をプロジェクトにできません: パスに鍵と思われる値が含まれています。",
        "ディレクトリ名を変更してください。パスはすべての記録に残ります。",
    ),
    "limits_misused": ErrorText(
        "E210",
        "these are no limits: each has its name and a number above zero.",
        "`{usage}`",
        "上限として解釈できません: 名前と 1 以上の数値の組で指定してください。",
        "`{usage}`",
    ),
    "minutes_only_solo": ErrorText(
        "E210",
        "--max-minutes is for one executor, and a company has several.",
        "add --solo, or leave it out.",
        "--max-minutes は単独の実行 (--solo) でのみ指定できます。",
        "--solo を付けるか、このオプションを外してください。",
    ),
    "continue_only_solo": ErrorText(
        "E210",
        "--continue is for one executor; a company begins anew each time.",
        "add --solo, or leave it out.",
        "--continue は単独の実行 (--solo) でのみ指定できます。",
        "--solo を付けるか、このオプションを外してください。",
    ),
    "no_such_review": ErrorText(
        "E210",
        "there is no review {review}.",
        "`pm-orchestrator review list` shows them.",
        "レビュー {review} はありません。",
        "`pm-orchestrator review list` で一覧を表示できます。",
    ),
    "task_nowhere": ErrorText(
        "E210",
        "no task of this project has the id {task}, or one that begins so.",
        "`pm-orchestrator runs` lists the tasks of all sessions.",
        "{task} という ID、またはそれで始まる ID のタスクはこのプロジェクトにありません。",
        "`pm-orchestrator runs` ですべてのセッションのタスクを一覧できます。",
    ),
    "task_ambiguous": ErrorText(
        "E210",
        "{task} begins the ids of {count} tasks: {tasks}.",
        "type more of the id.",
        "{task} で始まる ID のタスクが {count} 件あります: {tasks}。",
        "ID をもう少し長く入力してください。",
    ),
    "run_unknown": ErrorText(
        "E210",
        "there is no run {run}.",
        "`pm-orchestrator runs` lists them.",
        "実行 {run} はありません。",
        "`pm-orchestrator runs` で一覧を表示できます。",
    ),
    "layer_not_needed": ErrorText(
        "E210",
        "there is nothing to install: no lock file of the project's last commit asks for it.",
        "commit a lock file or requirements.txt, or name commands under `sandbox.setup` in "
        ".claude/settings.json.",
        "インストールするものがありません: 最後のコミットにロックファイルがありません。",
        "ロックファイルか requirements.txt をコミットするか、.claude/settings.json の "
        "`sandbox.setup` にコマンドを指定してください。",
    ),
    "nothing_to_resume": ErrorText(
        "E210",
        "there is nothing to resume in {run}: {reason}.",
        "`pm-orchestrator runs` shows how the runs stand.",
        "{run} に再開するものはありません: {reason}。",
        "`pm-orchestrator runs` で実行の状態を確認できます。",
    ),
    "not_running": ErrorText(
        "E210",
        "{task} is not running: it is {status}.",
        "`pm-orchestrator logs` shows how the tasks stand.",
        "{task} は実行中ではありません: {status}。",
        "`pm-orchestrator logs` でタスクの状態を確認できます。",
    ),
    "no_such_evidence": ErrorText(
        "E210",
        "there is no evidence {evidence}.",
        "`pm-orchestrator logs TASK` names the evidence of a task.",
        "証跡 {evidence} はありません。",
        "タスクの証跡は `pm-orchestrator logs TASK` で確認できます。",
    ),
    "raw_log_pruned": ErrorText(
        "E303",
        "the raw log of {evidence} was pruned; it was older than {before}.",
        "its record remains: `pm-orchestrator evidence show {evidence}`. "
        "evidence_settings.retention_days of the settings says how long raw logs are kept.",
        "{evidence} の生ログは保存期間を過ぎたため削除されました（{before} より前）。",
        "記録は `pm-orchestrator evidence show {evidence}` で確認できます。"
        "保存期間は設定の evidence_settings.retention_days です。",
    ),
    "options_exclude": ErrorText(
        "E210",
        "{options} exclude each other.",
        "give one of them; see `pm-orchestrator {command} --help`.",
        "{options} は同時に指定できません。",
        "どちらか一つを指定してください (`pm-orchestrator {command} --help`)。",
    ),
    "record_or_replay": ErrorText(
        "E210",
        "--record and --replay cannot go together: a replay asks nobody.",
        "give one of the two; see `pm-orchestrator run --help`.",
        "--record と --replay は同時に指定できません。再生中は誰にも問い合わせません。",
        "どちらか一方を指定してください (`pm-orchestrator run --help` を参照)。",
    ),
    "cassette_only_gateway": ErrorText(
        "E210",
        "a task of {executor} alone can be neither recorded nor replayed: it talks to its vendor "
        "itself, and what it does to files is not in what it says.",
        "leave --solo out (a company asks through our gateway), or select another provider with "
        "`/provider`.",
        "{executor} が単独で行うタスクは記録も再生もできません。ベンダーと直接通信しており、"
        "ファイルへの操作は発言に含まれないためです。",
        "--solo を外すか (会社モードはゲートウェイ経由です)、`/provider` で別のプロバイダーを"
        "選択してください。",
    ),
    "instruction_once": ErrorText(
        "E210",
        "give the instruction as an argument or with --file, one of the two.",
        "see `pm-orchestrator run --help`.",
        "指示は引数か --file のどちらか一方で指定してください。",
        "`pm-orchestrator run --help` を参照してください。",
    ),
    "file_unreadable": ErrorText(
        "E210",
        "{path} cannot be read: {reason}.",
        "name a readable text file in UTF-8.",
        "{path} を読めません: {reason}",
        "読み取り可能な UTF-8 のテキストファイルを指定してください。",
    ),
    "unsafe_name": ErrorText(
        "E210",
        "{text} cannot be a {what}: it is not a safe file name.",
        "use letters, digits, `.`, `_` and `-`, and begin with a letter or digit.",
        "{text} は {what} に使えません: 安全なファイル名ではありません。",
        "英数字と `.` `_` `-` を使い、英数字で始めてください。",
    ),
}
